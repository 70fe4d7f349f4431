#include "selection/rule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "aapc/algorithms/algorithm.hpp"
#include "aapc/input/units.hpp"
#include "aapc/topology/clusters.hpp"
#include "selection/start.hpp"

namespace aapc::selection {

namespace {

constexpr std::string_view only_calls_show = "if calls show that it is faster";
constexpr Rank fewest_participants = 3;  // two ranks have one schedule, and every MPI has found it

std::size_t machines_used(const Placement& placement) {
    return std::unordered_set<Machine>(placement.machine_of.begin(), placement.machine_of.end()).size();
}

bool has_few_ranks_a_machine(const Placement& placement) {
    return placement.machine_of.size() < fewest_ranks_a_machine * machines_used(placement);
}

bool in_one_cluster(const Network& network, const Placement& placement) {
    return network.kind() == NetworkKind::clusters && ranks_by_cluster(network, placement).size() == 1;
}

std::string bound_text(const Network& network, const Bound& bound) {
    const LinkLoad& busiest = bound.links.front();
    const Link& link = network.links()[static_cast<std::size_t>(busiest.link)];
    const auto name = [&](Vertex vertex) { return network.vertices()[static_cast<std::size_t>(vertex)].name; };
    if (network.kind() == NetworkKind::detected) {
        return fmt::format("detected, of the wires nothing is known; bound {} messages at {}", busiest.messages,
                           name(link.lower));
    }
    return fmt::format("{} {} messages on {}-{} at {}", bound_name(bound.kind), busiest.messages, name(link.lower),
                       name(link.upper), speed_text(link.bits_per_second));
}

/// How many times longer equal phases take than the links need. The speeds of the links are known.
double slowdown_by_equal_phases(Phase phases, const Bound& bound) {
    return static_cast<double>(phases) * 8 / bound.slowest_bits_per_second / bound.seconds_per_byte;
}

/// "1.50 to 1.62 times as fast as native at 4096 to 16384 bytes".
std::string lead_text(const TunedRange& range) {
    if (range.method.native() || range.measured.empty()) {
        return "";
    }
    const auto by_ratio = [](const MeasuredSize& left, const MeasuredSize& right) {
        return left.lead.ratio < right.lead.ratio;
    };
    const auto [least, most] = std::minmax_element(range.measured.begin(), range.measured.end(), by_ratio);
    if (range.measured.size() == 1) {
        return fmt::format("{:.2f} times as fast as native at {} bytes", least->lead.ratio, least->bytes);
    }
    return fmt::format("{:.2f} to {:.2f} times as fast as native at {} to {} bytes", least->lead.ratio,
                       most->lead.ratio, range.measured.front().bytes, range.measured.back().bytes);
}

Decision decide_by_tuning(const Tuning& tuning, const std::string& bound) {
    std::vector<Decision::Range> ranges;
    ranges.reserve(tuning.ranges.size());
    for (const TunedRange& range : tuning.ranges) {
        ranges.push_back({range.from_bytes, range.method, lead_text(range)});
    }
    const TuningConditions& conditions = tuning.conditions;
    const std::string source = conditions.calls > 0
                                   ? fmt::format("learned {} in {} calls", conditions.date, conditions.calls)
                                   : fmt::format("tuned {}", conditions.date);
    return {std::move(ranges), fmt::format("{}; {}", source, bound), Decision::Basis::tuning};
}

/// What the rule makes of an algorithm on this network.
struct Suggestion {
    const Algorithm* algorithm = nullptr;  ///< null if native
    std::string why;                       ///< it is not the wanted one; empty if it is
};

/// The algorithm of the table that stays near the bound whatever the speeds are. Its timetable is not built here:
/// preparing the method builds it and falls back if that is impossible.
const Algorithm* stand_in_at_any_speeds(NetworkKind kind) {
    const auto found = std::find_if(algorithms().begin(), algorithms().end(), [&](const Algorithm& algorithm) {
        return algorithm.near_the_bound_at_any_speeds && algorithm.is_for(kind);
    });
    return found == algorithms().end() ? nullptr : &*found;
}

/// `wanted`, its replacement, or why the rule keeps it from serving here. `forced`: the only synchronisation allowed.
Suggestion suggest(Timetables& timetables, const Bound& bound, const Algorithm& wanted,
                   const std::optional<Synchronisation>& forced) {
    const Network& network = timetables.network();
    // There are no measurements, and only the sharing of network cards is known. Where each rank has its own card,
    // native algorithms also order messages to avoid the others' cards.
    if (network.kind() == NetworkKind::detected && has_few_ranks_a_machine(timetables.placement())) {
        return {nullptr, fmt::format("detected: fewer than {} ranks a machine, and of the wires nothing is known",
                                     fewest_ranks_a_machine)};
    }
    if (wanted.near_the_bound_at_any_speeds) {
        // On a tree there are phases for what the clock does not keep apart. Elsewhere preparing the method judges it.
        const bool is_left_to_phases =
            forced && forced->kind != Synchronisation::Kind::timed && is_tree(network.kind());
        return {is_left_to_phases ? nullptr : &wanted, ""};
    }
    const Algorithm* const at_any_speeds =
        !forced && bound.seconds_per_byte > 0 ? stand_in_at_any_speeds(network.kind()) : nullptr;
    const auto phases = timetables.phases(wanted, "");
    if (!phases) {
        return {at_any_speeds, phases.error().problem};
    }
    if (wanted.synchronisation.kind != Synchronisation::Kind::timed) {
        return {&wanted, ""};
    }
    const double slowdown = slowdown_by_equal_phases(*phases, bound);
    if (slowdown <= largest_slowdown_by_equal_phases) {
        return {&wanted, ""};
    }
    return {at_any_speeds, fmt::format("{}phases of equal length would take {:.1f} times the bound",
                                       is_tree(network.kind()) ? "links differ in speed and " : "", slowdown)};
}

/// What the table uses on that kind of network, in ascending order of the blocks. What goes by time stands at the end,
/// the last row first: the first one that can be had is used.
std::vector<std::pair<const Algorithm*, const Use*>> uses_on(NetworkKind kind) {
    std::vector<std::pair<const Algorithm*, const Use*>> found;
    for (const Algorithm& algorithm : algorithms()) {
        for (const Use& use : algorithm.uses) {
            if (use.kind == kind) {
                found.emplace_back(&algorithm, &use);
            }
        }
    }
    std::stable_sort(found.begin(), found.end(), [](const auto& left, const auto& right) {
        return std::pair(left.second->by_time(), left.second->from_bytes) <
               std::pair(right.second->by_time(), right.second->from_bytes);
    });
    std::reverse(std::find_if(found.begin(), found.end(), [](const auto& one) { return one.second->by_time(); }),
                 found.end());
    return found;
}

/// What the rule decides for.
struct Case {
    Timetables& timetables;
    const Bound& bound;
    std::optional<Synchronisation> forced;
    std::string_view mpi;
    std::optional<Crossover> crossover;  ///< nullopt if speeds are not known
};

/// What has been found for the sizes so far.
struct Found {
    std::vector<Decision::Range> ranges = {{0, Method{}, ""}};
    std::string why_otherwise;
    bool by_time = false;
};

void add_use(const Case& given, const Algorithm& algorithm, const Use& use, Found& found) {
    if (use.only_learned &&
        (!given.mpi.empty() || given.forced || has_few_ranks_a_machine(given.timetables.placement()))) {
        return;
    }
    if (!given.mpi.empty() && use.not_under == given.mpi && !given.forced) {
        found.why_otherwise = fmt::format("{}, and {}'s own was the faster one where '{}' was measured",
                                          to_string(use.kind), given.mpi, algorithm.name);
        return;
    }
    const Suggestion suggestion = suggest(given.timetables, given.bound, algorithm, given.forced);
    if (!suggestion.why.empty()) {
        found.why_otherwise = suggestion.why;
    }
    if (suggestion.algorithm == nullptr || (use.by_time() && !given.crossover)) {
        return;
    }
    const std::int64_t from_bytes =
        std::max(use.by_time() ? given.crossover->block_bytes : use.from_bytes, found.ranges.back().from_bytes);
    const Algorithm& used = *suggestion.algorithm;
    const std::string_view variant =
        used.best_variant != nullptr ? used.best_variant(given.timetables.placement()) : used.variants.front();
    // A range of the same beginning has ended before it has begun.
    if (found.ranges.back().from_bytes == from_bytes) {
        found.ranges.pop_back();
    }
    found.ranges.push_back({from_bytes,
                            {&used, std::string(variant), given.forced.value_or(used.synchronisation)},
                            use.only_learned ? std::string(only_calls_show) : ""});
    found.by_time = found.by_time || use.by_time();
    if (use.below_bytes <= largest_scheduled_block) {
        found.ranges.push_back({use.below_bytes, Method{}, ""});
    }
}

Decision decide_by_rule(const Case& given, const std::string& reason) {
    const Network& network = given.timetables.network();
    const NetworkKind kind = in_one_cluster(network, given.timetables.placement()) ? NetworkKind::tree : network.kind();
    Found found;
    for (const auto& [algorithm, use] : uses_on(kind)) {
        if (!found.by_time) {
            add_use(given, *algorithm, *use, found);
        }
    }
    if (found.ranges.size() == 1) {
        return Decision(std::move(found.why_otherwise));
    }
    return {std::move(found.ranges),
            found.why_otherwise.empty() ? reason : fmt::format("{}; {}", reason, found.why_otherwise),
            given.forced ? Decision::Basis::forced : Decision::Basis::rule,
            found.by_time ? given.crossover : std::nullopt};
}

/// No message crosses a link, so there is nothing to schedule; but ranks can copy.
Decision decide_on_one_machine(const Network& network, const Placement& placement, const Forced& forced,
                               const Tuning* tuning, std::string_view mpi) {
    const std::string reason = "all ranks are on one machine and no message crosses a link";
    if (forced.method && forced.method->algorithm->on_one_machine) {
        return {{{0, *forced.method, ""}}, reason, Decision::Basis::forced};
    }
    if (forced.method || forced.synchronisation) {
        return Decision(reason);
    }
    if (tuning != nullptr && has_shape(network, placement, *tuning)) {
        return decide_by_tuning(*tuning, reason);
    }
    const auto copies = std::find_if(algorithms().begin(), algorithms().end(),
                                     [](const Algorithm& algorithm) { return algorithm.on_one_machine; });
    if (!mpi.empty() || copies == algorithms().end()) {
        return Decision(reason);
    }
    const Method method{&*copies, std::string(copies->variants.front()), copies->synchronisation};
    return {{{0, Method{}, ""}, {1, method, std::string(only_calls_show)}}, reason, Decision::Basis::rule};
}

}  // namespace

Decision::Decision(std::string reason, Basis basis)
    : ranges_{{0, Method{}, ""}}, reason_(std::move(reason)), basis_(basis) {}

Decision::Decision(std::vector<Range> ranges, std::string reason, Basis basis, std::optional<Crossover> crossover)
    : reason_(std::move(reason)), basis_(basis), crossover_(crossover) {
    // A block of zero bytes is no message.
    if (!ranges.front().method.native()) {
        ranges_.push_back({0, Method{}, ""});
        ranges.front().from_bytes = 1;
        if (ranges.size() > 1 && ranges[1].from_bytes == 1) {
            ranges.erase(ranges.begin());
        }
    }
    for (Range& range : ranges) {
        if (range.from_bytes <= largest_scheduled_block) {
            ranges_.push_back(std::move(range));
        }
    }
    if (!ranges_.back().method.native()) {
        ranges_.push_back({largest_scheduled_block + 1, Method{}, ""});
    }
}

std::size_t Decision::range_of(std::int64_t block_bytes) const {
    const auto after =
        std::upper_bound(ranges_.begin(), ranges_.end(), block_bytes,
                         [](std::int64_t bytes, const Range& range) { return bytes < range.from_bytes; });
    return static_cast<std::size_t>(after - ranges_.begin()) - 1;
}

bool is_on_one_machine(const Placement& placement) { return machines_used(placement) == 1; }

bool has_shape(const Network& network, const Placement& placement, const Tuning& tuning) {
    const std::vector<std::string>& tuned = tuning.fingerprint.machine_of;
    return std::equal(placement.machine_of.begin(), placement.machine_of.end(), tuned.begin(), tuned.end(),
                      [&](Machine machine, const std::string& name) { return network.machine_name(machine) == name; });
}

std::optional<std::string> nothing_to_schedule(const Placement& placement, const Bound& bound) {
    const bool copies = is_on_one_machine(placement);
    if (placement.participants() < (copies ? 2 : fewest_participants)) {
        return "with fewer than three ranks there is nothing to schedule";
    }
    if (bound.links.empty() && !copies) {
        return "no message crosses a link";
    }
    return std::nullopt;
}

namespace {

/// As decide(), without `bound` being worked out anew.
Decision decide_within(Timetables& timetables, const Bound& bound, const Forced& forced, const Tuning* tuning,
                       std::string_view mpi, std::optional<double> start_seconds) {
    const Network& network = timetables.network();
    const Placement& placement = timetables.placement();
    if (forced.method && forced.method->native()) {
        return Decision(forced.native_reason, Decision::Basis::forced);
    }
    if (auto nothing = nothing_to_schedule(placement, bound)) {
        return Decision(std::move(*nothing));
    }
    if (is_on_one_machine(placement)) {
        return decide_on_one_machine(network, placement, forced, tuning, mpi);
    }
    std::string reason = bound_text(network, bound);
    if (forced.method) {
        // A forced algorithm serves every size.
        return {{{0, *forced.method, ""}}, reason, Decision::Basis::forced};
    }
    if (tuning != nullptr && !forced.synchronisation) {
        if (has_shape(network, placement, *tuning)) {
            return decide_by_tuning(*tuning, reason);
        }
        reason = fmt::format("the tuning is for {} ranks placed otherwise; {}", tuning->fingerprint.machine_of.size(),
                             reason);
    }
    Case given{timetables, bound, forced.synchronisation, mpi, std::nullopt};
    if (bound.seconds_per_byte > 0) {
        given.crossover = crossover(network, placement, bound,
                                    start_seconds.value_or(expected_start_seconds(bound, placement.participants())));
    }
    return decide_by_rule(given, reason);
}

}  // namespace

Decision decide(const Network& network, const Placement& placement, const Bound& bound, const Forced& forced,
                const Tuning* tuning, std::string_view mpi, std::optional<double> start_seconds) {
    Timetables timetables(network, placement);
    return decide_within(timetables, bound, forced, tuning, mpi, start_seconds);
}

Decision decide(Timetables& timetables, const Forced& forced, const Tuning* tuning, std::string_view mpi,
                std::optional<double> start_seconds) {
    return decide_within(timetables, timetables.bound(), forced, tuning, mpi, start_seconds);
}

std::optional<std::string> remark_on_phases(const Timetable& timetable, const Network& network, const Bound& bound) {
    if (timetable.cycle() || !is_contention_free(timetable.guarantee()) || !(bound.seconds_per_byte > 0)) {
        return std::nullopt;
    }
    const double slowdown = slowdown_by_equal_phases(timetable.phases(), bound);
    if (slowdown <= largest_slowdown_unremarked) {
        return std::nullopt;
    }
    std::string remark =
        fmt::format("phases of equal length take {:.1f} times the bound here{}", slowdown,
                    is_tree(network.kind()) ? ", since they last as long as the slowest link needs" : "");
    if (const Algorithm* const better = stand_in_at_any_speeds(network.kind())) {
        remark += fmt::format("; algorithm '{}' stays near the bound at any speeds", better->name);
    }
    return remark;
}

bool depends_on_start(const Decision& decision) {
    if (!decision.crossover() || decision.basis() != Decision::Basis::rule) {
        return false;
    }
    const Method& by_time = decision.at(decision.crossover()->block_bytes);
    return !by_time.native() && by_time.synchronisation.kind == Synchronisation::Kind::timed;
}

std::string describe(const Placement& placement) {
    const std::size_t machines = machines_used(placement);
    return fmt::format("communicator of {} rank{} on {} machine{}", placement.participants(),
                       placement.participants() == 1 ? "" : "s", machines, machines == 1 ? "" : "s");
}

std::string explain(const Placement& placement, const Decision& decision) {
    std::string text;
    for (const Decision::Range& range : decision.ranges()) {
        if (range.from_bytes > largest_scheduled_block) {
            break;
        }
        text += range.from_bytes == 0 ? to_string(range.method)
                                      : fmt::format("; from {} bytes {}", range.from_bytes, to_string(range.method));
        if (range.buffer_blocks > 0) {
            text += fmt::format(" with buffers of {} blocks", range.buffer_blocks);
        }
        if (!range.lead.empty()) {
            text += fmt::format(", {}", range.lead);
        }
    }
    const std::string why = decision.crossover()
                                ? fmt::format("{}; {}", decision.reason(), to_string(*decision.crossover()))
                                : decision.reason();
    return fmt::format("{}: {} ({})", describe(placement), text, why);
}

}  // namespace aapc::selection
