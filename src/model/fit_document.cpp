#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "aapc/contention.hpp"

namespace aapc {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view format_name = "aapc-fit/1";

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json estimate_json(const Estimate& estimate) {
    return {{"value", estimate.value}, {"interval", {number(estimate.interval.low), number(estimate.interval.high)}}};
}

/// Takes members out of a document; the first that is missing or of another type is remembered.
class Members {
  public:
    explicit Members(const Json& document) : document_(document) {}

    template <class Value>
    Value get(std::string_view pointer) {
        const Json::json_pointer place{std::string(pointer)};
        try {
            return document_.at(place).get<Value>();
        } catch (const Json::exception&) {
            if (wrong_.empty()) {
                wrong_ = pointer.substr(1);
            }
            return Value{};
        }
    }

    [[nodiscard]] bool has(std::string_view pointer) const {
        const Json::json_pointer place{std::string(pointer)};
        return document_.contains(place) && !document_.at(place).is_null();
    }

    Estimate estimate(const std::string& pointer) {
        constexpr double unbounded = std::numeric_limits<double>::infinity();
        const double high = has(pointer + "/interval/1") ? get<double>(pointer + "/interval/1") : unbounded;
        return {get<double>(pointer + "/value"), {get<double>(pointer + "/interval/0"), high, usual_confidence}};
    }

    [[nodiscard]] const std::string& wrong() const { return wrong_; }

  private:
    const Json& document_;
    std::string wrong_;
};

ContentionFit fit_of(Members& members) {
    ContentionFit fit;
    fit.link = {members.get<double>("/alpha_seconds"), members.get<double>("/beta_seconds_per_byte")};
    fit.gamma = members.estimate("/gamma");
    fit.delta = members.estimate("/delta");
    if (members.has("/threshold")) {
        fit.threshold = ThresholdInterval{members.get<std::int64_t>("/threshold/interval/0"),
                                          members.get<std::int64_t>("/threshold/interval/1")};
    }
    fit.delta_probability = members.get<double>("/delta_probability");
    fit.relative_deviation = members.get<double>("/relative_deviation");
    fit.samples = members.get<std::size_t>("/samples/number");
    fit.fewest_ranks = members.get<Rank>("/samples/ranks/0");
    fit.most_ranks = members.get<Rank>("/samples/ranks/1");
    fit.smallest_bytes = members.get<std::int64_t>("/samples/message_bytes/0");
    fit.largest_bytes = members.get<std::int64_t>("/samples/message_bytes/1");
    fit.remarks = members.get<std::vector<std::string>>("/remarks");
    if (members.has("/next")) {
        fit.next = NextMeasurement{members.get<Rank>("/next/ranks"), members.get<std::int64_t>("/next/message_bytes"),
                                   members.get<std::string>("/next/why")};
    }
    fit.variance_gamma = members.get<double>("/covariance/gamma");
    fit.variance_delta = members.get<double>("/covariance/delta");
    fit.covariance = members.get<double>("/covariance/gamma_delta");
    fit.quantile = members.get<double>("/quantile");
    return fit;
}

}  // namespace

std::string contention_json(const ContentionFit& fit) {
    Json document = {
        {"format", format_name},
        {"alpha_seconds", fit.link.alpha_seconds},
        {"beta_seconds_per_byte", fit.link.beta_seconds_per_byte},
        {"gamma", estimate_json(fit.gamma)},
        {"delta", estimate_json(fit.delta)},
        {"threshold", nullptr},
        {"delta_probability", fit.delta_probability},
        {"relative_deviation", fit.relative_deviation},
        {"samples",
         {{"number", fit.samples},
          {"ranks", {fit.fewest_ranks, fit.most_ranks}},
          {"message_bytes", {fit.smallest_bytes, fit.largest_bytes}}}},
        {"remarks", fit.remarks},
        {"next", nullptr},
        {"covariance", {{"gamma", fit.variance_gamma}, {"delta", fit.variance_delta}, {"gamma_delta", fit.covariance}}},
        {"quantile", fit.quantile}};
    if (fit.threshold) {
        document["threshold"] = {{"interval", {fit.threshold->above, fit.threshold->up_to}}};
    }
    if (fit.next) {
        document["next"] = {
            {"ranks", fit.next->ranks}, {"message_bytes", fit.next->message_bytes}, {"why", fit.next->why}};
    }
    return document.dump(2) + '\n';
}

Expected<ContentionFit> read_contention_fit(std::string_view text, std::string_view file) {
    const Json document = Json::parse(text, nullptr, false);
    const bool is_fit = document.is_object() && document.contains("format") && document["format"] == format_name;
    if (!is_fit) {
        return failure({std::string(file), 0, 0, fmt::format("is no document of format '{}'", format_name),
                        "give what `aapc fit --format json` printed"});
    }
    Members members(document);
    ContentionFit fit = fit_of(members);
    if (!members.wrong().empty()) {
        return failure({std::string(file), 0, 0,
                        fmt::format("member {} is missing or of the wrong type", members.wrong()),
                        "give what `aapc fit --format json` printed"});
    }
    return fit;
}

}  // namespace aapc
