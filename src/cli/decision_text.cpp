#include "cli/decision_text.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "aapc/input/hostlist.hpp"
#include "aapc/input/units.hpp"
#include "aapc/topology/siblings.hpp"
#include "cli/bounds_text.hpp"
#include "input/enumerator_names.hpp"

namespace aapc::cli {

namespace {

using nlohmann::ordered_json;
using selection::Decision;

constexpr EnumeratorNames<Decision::Basis, Decision::Basis::tuning> basis_names({
    {Decision::Basis::rule, "rule"},
    {Decision::Basis::forced, "forced"},
    {Decision::Basis::tuning, "tuning"},
});

bool is_learned(const std::optional<Tuning>& tuning) { return tuning && tuning->conditions.calls > 0; }

std::string_view basis_of(const Explanation& shown) {
    const Decision::Basis basis = shown.decision.basis();
    return basis == Decision::Basis::tuning && is_learned(shown.tuning) ? "learned" : basis_names[basis];
}

std::string time_or_dash(std::optional<double> seconds) {
    return seconds ? duration_text(*seconds, decimals(*seconds >= 1e-3 ? 3 : 1)) : "-";
}

/// Of blocks or bytes; "-" where nothing is forwarded.
std::string buffers_text(std::int64_t buffers) { return buffers == 0 ? "-" : std::to_string(buffers); }

std::string phases_text(bool cyclic, std::optional<Phase> phases) {
    return cyclic ? "cycle" : phases ? std::to_string(*phases) : "-";
}

std::string ranges_text(const Explanation& shown) {
    std::string text =
        fmt::format("\n{:>12}  {:<32}  {:>7}  {:>14}  measured\n", "from bytes", "method", "phases", "buffer blocks");
    for (std::size_t index = 0; index < shown.timings.size(); ++index) {
        const Decision::Range& range = shown.decision.ranges()[index];
        text += fmt::format("{:>12}  {:<32}  {:>7}  {:>14}  {}\n", range.from_bytes, to_string(range.method),
                            phases_text(shown.timings[index].cyclic, shown.timings[index].phases),
                            buffers_text(range.buffer_blocks), range.lead.empty() ? "-" : range.lead);
    }
    return text;
}

std::string sizes_text(const Explanation& shown) {
    std::string text =
        fmt::format("\n{:>12}  {:<32}  {:>12}  {:>11}  {:>11}  {:>11}  {:>11}  {}\n", "bytes", "method", "buffer bytes",
                    bound_name(shown.bound.kind), "predicted", "measured", "native", "lead over native; runner-up");
    for (const SizeLine& line : shown.sizes) {
        std::optional<double> chosen;
        std::optional<double> native;
        std::string evidence = "-";
        if (line.measured) {
            const MeasuredSize& measured = *line.measured;
            chosen = measured.chosen_seconds;
            native = measured.native_seconds;
            evidence =
                fmt::format("{:.2f} ({:.2f} to {:.2f})", measured.lead.ratio, measured.lead.low, measured.lead.high);
            if (measured.runner_up) {
                evidence += fmt::format("; {} {}", to_string(measured.runner_up->method),
                                        time_or_dash(measured.runner_up->seconds));
            }
        }
        text += fmt::format("{:>12}  {:<32}  {:>12}  {:>11}  {:>11}  {:>11}  {:>11}  {}\n", line.bytes,
                            to_string(line.method), buffers_text(line.buffer_bytes), time_or_dash(line.bound_seconds),
                            time_or_dash(line.predicted_seconds), time_or_dash(chosen), time_or_dash(native), evidence);
    }
    return text;
}

/// What a program's first call of each size begins with.
std::string reasons_text(const Explanation& shown) {
    std::string text;
    for (const SizeLine& line : shown.sizes) {
        if (line.reasons) {
            text += fmt::format("{:>12}  {}\n", line.bytes, learning::words(*line.reasons, [&](std::size_t number) {
                                    return to_string(shown.candidates[number]);
                                }));
        }
    }
    return text.empty() ? text : fmt::format("\n{:>12}  why, before a program's first call\n", "bytes") + text;
}

ordered_json reasons_json(const Explanation& shown, const std::optional<learning::Reasons>& reasons) {
    if (!reasons) {
        return nullptr;
    }
    ordered_json candidates = ordered_json::array();
    for (const learning::CandidateReason& one : reasons->candidates) {
        candidates.push_back({{"method", to_string(shown.candidates[one.method])},
                              {"standing", learning::name_of(one.standing)},
                              {"samples", one.samples},
                              {"least_seconds", one.least_seconds},
                              {"most_seconds", one.most_seconds}});
    }
    return {{"state", learning::name_of(reasons->state)}, {"candidates", std::move(candidates)}};
}

/// Where schedules begin to pay.
std::string crossover_text(const selection::Crossover& crossover) {
    const auto time = [](double seconds) { return duration_text(seconds, significant(3)); };
    return fmt::format(
        "scheduled from {} bytes on, where the bound is {}: a start is taken to cost {}, and the ports "
        "hold {} of the exchange\n",
        crossover.block_bytes, time(crossover.bound_seconds), time(crossover.start_seconds),
        time(crossover.buffered_seconds));
}

std::string alternatives_text(const Explanation& shown) {
    std::string text = fmt::format("\n{:<24}  {:>7}  why not\n", "not taken", "phases");
    for (const Alternative& alternative : shown.alternatives) {
        text += fmt::format("{:<24}  {:>7}  {}\n", alternative.name,
                            phases_text(alternative.cyclic, alternative.phases), alternative.reason);
    }
    return text;
}

constexpr std::string_view about_the_model =
    "The bound is what the busiest link needs for the bytes alone. Predicted is the start and the schedule of `timed` "
    "at\n"
    "the declared speeds, headers and acknowledgements included; other methods promise no time.\n"
    "Buffers are for blocks that are forwarded, on the rank that needs most.\n";

template <class Value>
ordered_json or_null(const std::optional<Value>& value) {
    return value ? ordered_json(*value) : ordered_json();
}

ordered_json crossover_json(const std::optional<selection::Crossover>& crossover) {
    if (!crossover) {
        return nullptr;
    }
    return {{"block_bytes", crossover->block_bytes},
            {"bound_seconds", crossover->bound_seconds},
            {"start_seconds", crossover->start_seconds},
            {"buffered_seconds", crossover->buffered_seconds}};
}

ordered_json measured_json(const std::optional<MeasuredSize>& measured) {
    if (!measured) {
        return nullptr;
    }
    ordered_json json = {
        {"seconds", measured->chosen_seconds},
        {"native_seconds", measured->native_seconds},
        {"lead", {{"ratio", measured->lead.ratio}, {"interval", {measured->lead.low, measured->lead.high}}}},
        {"spread", measured->spread},
        {"repeats", measured->repeats},
        {"runner_up", nullptr}};
    if (measured->runner_up) {
        json["runner_up"] = {{"method", to_string(measured->runner_up->method)},
                             {"seconds", measured->runner_up->seconds}};
    }
    return json;
}

/// Which communicator it is, and which others exchange with it.
std::string siblings_text(const Explanation& shown) {
    std::string text;
    if (!shown.name.empty()) {
        text += shown.name + (shown.in_record.empty() ? "" : "; in the record " + shown.in_record) + "\n";
    }
    if (shown.siblings > 1) {
        text += sharing_text(shown.siblings) + "; so the bound and the threshold are those of all their messages\n";
    }
    return text;
}

/// How timetables were made, where there is something to say.
std::string remarks_text(const Explanation& shown) {
    std::string text;
    for (std::size_t index = 0; index < shown.timings.size(); ++index) {
        if (const std::string& remark = shown.timings[index].remark; !remark.empty()) {
            text += fmt::format("{}: {}\n", to_string(shown.decision.ranges()[index].method), remark);
        }
    }
    return text;
}

}  // namespace

std::vector<std::string> places(const Network& network, const Placement& placement) {
    std::vector<std::string> names;
    names.reserve(placement.machine_of.size());
    for (const Machine machine : placement.machine_of) {
        names.push_back(network.machine_name(machine));
    }
    return names;
}

std::string explanation_text(const Explanation& shown) {
    std::string text = fmt::format("{} ({})\n", selection::describe(shown.placement),
                                   compact_hostlist(places(shown.network, shown.placement)));
    text += siblings_text(shown);
    text += fmt::format("decided by {}: {}\n", basis_of(shown), shown.decision.reason());
    if (!shown.tuning_rejected.empty()) {
        text += fmt::format("tuning rejected: {}\n", shown.tuning_rejected);
    }
    if (!shown.not_learned.empty()) {
        text += fmt::format("nothing learned: {}\n", shown.not_learned);
    }
    if (shown.tuning) {
        const Fingerprint& made_for = shown.tuning->fingerprint;
        text += fmt::format("{} {} ({}), placement {}; {}\n", is_learned(shown.tuning) ? "learned under" : "tuning for",
                            made_for.mpi, made_for.mpi_version, compact_hostlist(made_for.machine_of),
                            is_learned(shown.tuning) ? "the next job's calls begin with it, and go on learning"
                                                     : "a job that differs rejects the whole file");
    }
    if (const auto& crossover = shown.decision.crossover()) {
        text += crossover_text(*crossover);
    }
    if (shown.hashed) {
        text += fmt::format("{} for each MB of message size: {}\n", bound_name(shown.bound.kind),
                            duration_text(1e6 * shown.bound.seconds_per_byte, decimals(3)));
        text += expected_text(*shown.hashed, shown.bound.seconds_per_byte);
    }
    text += ranges_text(shown) + remarks_text(shown) + sizes_text(shown) + reasons_text(shown);
    if (!shown.modelled.empty()) {
        text += modelled_text(shown.modelled);
    }
    if (!shown.alternatives.empty()) {
        text += alternatives_text(shown);
    }
    return text + "\n" + std::string(about_the_model);
}

std::string explanation_json(const Explanation& shown) {
    ordered_json ranges = ordered_json::array();
    for (std::size_t index = 0; index < shown.timings.size(); ++index) {
        const Decision::Range& range = shown.decision.ranges()[index];
        ranges.push_back({{"from_bytes", range.from_bytes},
                          {"method", to_string(range.method)},
                          {"phases", or_null(shown.timings[index].cyclic ? std::nullopt : shown.timings[index].phases)},
                          {"buffer_blocks", range.buffer_blocks}});
    }
    ordered_json sizes = ordered_json::array();
    for (const SizeLine& line : shown.sizes) {
        sizes.push_back({{"bytes", line.bytes},
                         {"method", to_string(line.method)},
                         {"buffer_bytes", line.buffer_bytes},
                         {"bound_seconds", line.bound_seconds},
                         {"predicted_seconds", or_null(line.predicted_seconds)},
                         {"measured", measured_json(line.measured)},
                         {"why", reasons_json(shown, line.reasons)},
                         {"model", nullptr}});
    }
    for (std::size_t size = 0; size < shown.modelled.size(); ++size) {
        sizes[size]["model"] = modelled_json(shown.modelled[size]);
    }
    ordered_json alternatives = ordered_json::array();
    for (const Alternative& alternative : shown.alternatives) {
        alternatives.push_back({{"algorithm", alternative.name},
                                {"phases", or_null(alternative.cyclic ? std::nullopt : alternative.phases)},
                                {"reason", alternative.reason}});
    }
    ordered_json bound = {{"messages", shown.bound.messages}, {"seconds_per_byte", shown.bound.seconds_per_byte}};
    add_bounds(shown.bound.kind, shown.hashed, bound);
    const ordered_json document = {
        {"format", "aapc-explanation/1"},
        {"ranks", shown.placement.participants()},
        {"placement", compact_hostlist(places(shown.network, shown.placement))},
        {"communicators_together", shown.siblings},
        {"bound", std::move(bound)},
        {"basis", basis_of(shown)},
        {"reason", shown.decision.reason()},
        {"start_seconds", shown.start_seconds},
        {"crossover", crossover_json(shown.decision.crossover())},
        {"tuning_rejected", shown.tuning_rejected.empty() ? ordered_json() : ordered_json(shown.tuning_rejected)},
        {"not_learned", shown.not_learned.empty() ? ordered_json() : ordered_json(shown.not_learned)},
        {"ranges", std::move(ranges)},
        {"sizes", std::move(sizes)},
        {"not_taken", std::move(alternatives)}};
    return document.dump(2) + "\n";
}

}  // namespace aapc::cli
