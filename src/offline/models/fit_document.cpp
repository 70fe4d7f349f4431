#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <type_traits>
#include <utility>

#include "aapc/offline/contention.hpp"
#include "aapc/offline/network_model.hpp"

namespace aapc {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view format_name = "aapc-fit/1";
constexpr std::string_view grid_format_name = "aapc-grid-fit/1";
constexpr std::string_view origin = "give what `aapc fit --format json` printed";

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
            const Json& found = document_.at(place);
            if (is_possible<Value>(found)) {
                return found.get<Value>();
            }
        } catch (const Json::exception&) {
            remember(pointer);  // it is missing, or of another type
            return Value{};
        }
        remember(pointer);
        return Value{};
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
    /// A conversion to a whole number would also take fractions and numbers that are too large, which it cannot
    /// represent.
    template <class Value>
    static bool is_possible(const Json& found) {
        if constexpr (std::is_integral_v<Value>) {
            return found.is_number_unsigned()
                       ? std::in_range<Value>(found.get<std::uint64_t>())
                       : found.is_number_integer() && std::in_range<Value>(found.get<std::int64_t>());
        } else {
            return true;
        }
    }

    void remember(std::string_view pointer) {
        if (wrong_.empty()) {
            wrong_ = pointer.substr(1);
        }
    }

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
    fit.method = members.has("/method") ? members.get<std::string>("/method") : "";
    return fit;
}

bool is_link(const PointToPoint& link) { return link.alpha_seconds >= 0 && link.beta_seconds_per_byte > 0; }

/// Of the right format, and with numbers that a fit can have.
Expected<ContentionFit> read_fit(const Json& document, std::string_view file) {
    if (!document.is_object() || !document.contains("format") || document["format"] != format_name) {
        return failure(
            {std::string(file), 0, 0, fmt::format("is no document of format '{}'", format_name), std::string(origin)});
    }
    Members members(document);
    ContentionFit fit = fit_of(members);
    if (!members.wrong().empty()) {
        return failure({std::string(file), 0, 0,
                        fmt::format("member {} is missing or of the wrong type", members.wrong()),
                        std::string(origin)});
    }
    if (!is_link(fit.link) || !(fit.gamma.value > 0) || !(fit.delta.value >= 0)) {
        return failure(
            {std::string(file), 0, 0,
             fmt::format("alpha {} s, beta {} s a byte, gamma {} and delta {} s are no signature",
                         fit.link.alpha_seconds, fit.link.beta_seconds_per_byte, fit.gamma.value, fit.delta.value),
             std::string(origin)});
    }
    return fit;
}

Json fit_json(const ContentionFit& fit) {
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
        {"quantile", fit.quantile},
        {"method", fit.method.empty() ? Json(nullptr) : Json(fit.method)}};
    if (fit.threshold) {
        document["threshold"] = {{"interval", {fit.threshold->above, fit.threshold->up_to}}};
    }
    if (fit.next) {
        document["next"] = {
            {"ranks", fit.next->ranks}, {"message_bytes", fit.next->message_bytes}, {"why", fit.next->why}};
    }
    return document;
}

Json wide_area_json(const WideAreaFit& fit) {
    Json gaps = Json::array();
    for (const GapMeasurement& gap : fit.gaps) {
        gaps.push_back({{"message_bytes", gap.message_bytes},
                        {"gap_seconds", gap.gap_seconds},
                        {"send_overhead_seconds", gap.send_overhead_seconds},
                        {"receive_overhead_seconds", gap.receive_overhead_seconds}});
    }
    return {{"alpha_seconds", fit.link.alpha_seconds},
            {"beta_seconds_per_byte", fit.link.beta_seconds_per_byte},
            {"latency_seconds", fit.latency_seconds},
            {"gaps", std::move(gaps)}};
}

Expected<WideAreaFit> read_wide_area(const Json& document, std::string_view file) {
    Members members(document);
    WideAreaFit fit;
    fit.link = {members.get<double>("/alpha_seconds"), members.get<double>("/beta_seconds_per_byte")};
    fit.latency_seconds = members.get<double>("/latency_seconds");
    const auto gaps = members.get<std::vector<Json>>("/gaps");
    for (const Json& gap : gaps) {
        Members of_gap(gap);
        fit.gaps.push_back({of_gap.get<std::int64_t>("/message_bytes"), of_gap.get<double>("/gap_seconds"),
                            of_gap.get<double>("/send_overhead_seconds"),
                            of_gap.get<double>("/receive_overhead_seconds")});
        if (!of_gap.wrong().empty()) {
            return failure({std::string(file), 0, 0,
                            fmt::format("member wide_area/gaps/{} is missing or of the wrong type", of_gap.wrong()),
                            std::string(origin)});
        }
    }
    if (!members.wrong().empty() || !is_link(fit.link)) {
        return failure({std::string(file), 0, 0,
                        members.wrong().empty()
                            ? fmt::format("alpha {} s and beta {} s a byte are no wide area", fit.link.alpha_seconds,
                                          fit.link.beta_seconds_per_byte)
                            : fmt::format("member wide_area/{} is missing or of the wrong type", members.wrong()),
                        std::string(origin)});
    }
    return fit;
}

Expected<NetworkModel> read_grid(const Json& document, std::string_view file) {
    Members members(document);
    NetworkModel model;
    const auto clusters = members.get<std::vector<Json>>("/clusters");
    for (const Json& cluster : clusters) {
        const bool complete =
            cluster.is_object() && cluster.contains("fit") && cluster.contains("name") && cluster["name"].is_string();
        auto fit = read_fit(complete ? cluster["fit"] : Json(nullptr), file);
        if (!fit) {
            return failure(std::move(fit.error()));
        }
        model.clusters.push_back({cluster["name"].get<std::string>(), std::move(*fit)});
    }
    if (model.clusters.empty()) {
        return failure(
            {std::string(file), 0, 0, "member clusters is missing, empty or of the wrong type", std::string(origin)});
    }
    if (members.has("/wide_area")) {
        auto wide_area = read_wide_area(document["wide_area"], file);
        if (!wide_area) {
            return failure(std::move(wide_area.error()));
        }
        model.wide_area = std::move(*wide_area);
    }
    return model;
}

}  // namespace

std::string contention_json(const ContentionFit& fit) { return fit_json(fit).dump(2) + '\n'; }

Expected<ContentionFit> read_contention_fit(std::string_view text, std::string_view file) {
    return read_fit(Json::parse(text, nullptr, false), file);
}

std::string network_model_json(const NetworkModel& model) {
    if (model.clusters.size() == 1 && model.clusters.front().name.empty() && !model.wide_area) {
        return contention_json(model.clusters.front().fit);
    }
    Json clusters = Json::array();
    for (const MeasuredCluster& cluster : model.clusters) {
        clusters.push_back({{"name", cluster.name}, {"fit", fit_json(cluster.fit)}});
    }
    const Json document = {{"format", grid_format_name},
                           {"clusters", std::move(clusters)},
                           {"wide_area", model.wide_area ? wide_area_json(*model.wide_area) : Json(nullptr)}};
    return document.dump(2) + '\n';
}

Expected<NetworkModel> read_network_model(std::string_view text, std::string_view file) {
    const Json document = Json::parse(text, nullptr, false);
    if (document.is_object() && document.contains("format") && document["format"] == grid_format_name) {
        return read_grid(document, file);
    }
    auto fit = read_fit(document, file);
    if (!fit) {
        return failure(std::move(fit.error()));
    }
    return NetworkModel{{{"", std::move(*fit)}}, std::nullopt};
}

}  // namespace aapc
