#include "cli/report/figures.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "aapc/algorithms/algorithm.hpp"
#include "aapc/input/units.hpp"
#include "aapc/methods/preparation.hpp"
#include "aapc/methods/unequal_exchange.hpp"
#include "aapc/offline/method_model.hpp"
#include "aapc/topology/bound.hpp"
#include "aapc/topology/fabric.hpp"
#include "cli/report/communicators.hpp"
#include "cli/report/fluid.hpp"
#include "cli/report/lengths.hpp"
#include "cli/report/wording.hpp"
#include "input/mpis.hpp"
#include "selection/rule.hpp"
#include "selection/start.hpp"

namespace aapc::report {

namespace {

constexpr std::size_t compared_columns = 480;
constexpr std::size_t most_compared_rows = 40;
constexpr double noticeable = 0.97;  // what is to be called better takes at most so much

bool blocks(const std::string& routine) {
    return routine.rfind("MPI_I", 0) != 0 && routine.find("_init") == std::string::npos;
}

bool is_equal(const std::string& routine) { return routine == "MPI_Alltoall"; }

/// The part of a group's calls that the mean rank takes part in: a rank is in one of several communicators.
double of_mean_rank(const Group& group, const Record& record) {
    const auto ranks = static_cast<double>(std::max<std::size_t>(record.head.hosts.size(), 1));
    return group.ranks > 0 ? std::min(static_cast<double>(group.ranks) / ranks, 1.0) : 1.0;
}

double upper_median(std::vector<double>& values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

std::vector<Group> groups_of(const Record& record, const Communicators& communicators) {
    using Key = std::tuple<std::string, std::int64_t, int, std::string, std::string>;
    struct Gathered {
        Group group;
        std::vector<double> times;
        std::map<std::string, std::vector<double>> times_on;
        double known_seconds = 0;
        double waited_seconds = 0;
    };
    std::map<Key, Gathered> gathered;
    std::map<std::pair<std::string, std::string>, std::size_t> numbers;
    for (const RecordedCall& call : record.calls) {
        const std::int64_t ranks = communicators.ranks(call.communicator);
        const std::int64_t bytes = ranks > 0 ? call.bytes / ranks : call.bytes;
        const int digits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(bytes)));
        auto& [group, times, times_on, known, waited] =
            gathered[{call.routine, ranks, digits, call.method, call.reason}];
        if (times.empty()) {
            group.routine = call.routine;
            group.ranks = ranks;
            group.least_bytes = bytes;
            group.most_bytes = bytes;
            group.method = call.method;
            group.reason = call.reason;
            group.communicator = call.communicator;
        }
        group.least_bytes = std::min(group.least_bytes, bytes);
        group.most_bytes = std::max(group.most_bytes, bytes);
        group.seconds += call.seconds;
        Group::OnOne& on = group.on[call.communicator];
        ++on.calls;
        Group::Sum& sum = on.by_number[numbers[{call.communicator, call.routine}]++ % longest_period];
        ++sum.calls;
        sum.bytes += static_cast<double>(call.bytes);
        times.push_back(call.seconds);
        times_on[call.communicator].push_back(call.seconds);
        known += call.waited_seconds ? call.seconds : 0;
        waited += call.waited_seconds.value_or(0);
    }
    std::vector<Group> groups;
    for (auto& [key, one] : gathered) {
        one.group.median_seconds = upper_median(one.times);
        for (auto& [name, times] : one.times_on) {
            one.group.on[name].median_seconds = upper_median(times);
        }
        one.group.calls = static_cast<std::int64_t>(one.times.size());
        if (one.known_seconds > 0) {
            one.group.waited_share = one.waited_seconds / one.known_seconds;
        }
        one.group.seconds *= of_mean_rank(one.group, record);
        groups.push_back(std::move(one.group));
    }
    std::stable_sort(groups.begin(), groups.end(),
                     [](const Group& left, const Group& right) { return left.seconds > right.seconds; });
    return groups;
}

/// The time of a time-triggered method, and its preparation.
struct Timed {
    Prepared prepared;
    double seconds = 0;
};

std::optional<Timed> timed(const Network& network, const Placement& placement, const Method& method,
                           std::int64_t bytes) {
    if (method.native() || method.synchronisation.kind != Synchronisation::Kind::timed || bytes < 1) {
        return std::nullopt;
    }
    const Bound bound = network_bound(network, placement);
    auto prepared = prepare(network, placement, bound, method);
    if (!prepared || !prepared->cadence.known()) {
        return std::nullopt;
    }
    const double given = prepared->method.synchronisation.pace;
    const double pace = given > 0 ? given : prepared->cadence.initial_pace();
    const Segmentation cut = segment_message(bytes, prepared->cadence, prepared->method.synchronisation.segment_bytes);
    const double seconds = cut.end_seconds(prepared->timetable->phases()) / pace +
                           selection::expected_start_seconds(bound, placement.participants());
    return Timed{std::move(*prepared), seconds};
}

/// The group of the same calls, native or not, that took most time; null if there is none.
const Group* sibling(const std::vector<Group>& groups, const Group& group, bool native) {
    const auto digits = [](const Group& one) { return std::bit_width(static_cast<std::uint64_t>(one.most_bytes)); };
    const auto found = std::find_if(groups.begin(), groups.end(), [&](const Group& other) {
        return other.native() == native && other.routine == group.routine && other.ranks == group.ranks &&
               digits(other) == digits(group);
    });
    return found == groups.end() ? nullptr : &*found;
}

/// Native calls of a group that something serves better, communicator by communicator.
class Better {
  public:
    /// So many calls on a communicator, which take `native` seconds each, would take `seconds` by that method.
    void add(double calls, double native, double seconds, const std::string& method) {
        saved_ += seconds < noticeable * native ? calls * (native - seconds) : 0;
        method_ = seconds < noticeable * native ? method : method_;
    }
    /// Enters what is gained by it into the group.
    void enter(Group& group) const {
        if (group.native() && saved_ > 0) {
            group.better_seconds = std::max(group.median_seconds - saved_ / static_cast<double>(group.calls),
                                            group.bound_seconds.value_or(0));
            group.better_method = method_;
        }
    }

  private:
    double saved_ = 0;
    std::string method_;
};

/// The same as look_closer() of unequal messages, if the record has their lengths.
void look_at_lengths(Group& group, const Communicators& communicators, const Network& network) {
    group.lengths_known = !communicators.kinds(group, group.communicator).empty();
    const auto bound = group.lengths_known ? communicators.mean_bound(group) : std::nullopt;
    if (!bound || *bound <= 0) {
        return;
    }
    group.bound_seconds = bound;
    if (!group.native()) {
        return;
    }
    double calls = 0;
    double seconds = 0;
    Better better;
    bool is_scheduled = false;
    for (const auto& [name, on] : group.on) {
        const auto placement = communicators.placement(name);
        const std::optional<Network> shared = communicators.shared_links(group, name);
        for (const Communicators::Kind& kind : communicators.kinds(group, name)) {
            const auto demand = communicators.lengths(group, name, kind);
            const auto schedule =
                placement && demand ? schedule_of(shared ? *shared : network, *placement, *demand) : std::nullopt;
            calls += kind.calls;
            seconds += kind.calls * (schedule ? schedule->seconds : on.median_seconds);
            is_scheduled = is_scheduled || schedule;
            if (schedule) {
                better.add(kind.calls, on.median_seconds, schedule->seconds, schedule->method);
            }
        }
    }
    if (is_scheduled) {
        group.scheduled_seconds = std::max(seconds / calls, *bound);
        better.enter(group);
    }
}

/// What aapc would choose for equal blocks of so many bytes on each of the group's communicators.
Better better_for_blocks(const Group& group, const Communicators& communicators, const Network& network,
                         std::int64_t bytes, const std::string& mpi) {
    Better better;
    for (const auto& [name, on] : group.on) {
        const auto placement = communicators.placement(name);
        if (!placement) {
            continue;
        }
        const std::optional<Network> shared = communicators.shared_links(group, name);
        const Network& links = shared ? *shared : network;
        const Bound bound = network_bound(links, *placement);
        const Method best = selection::decide(links, *placement, bound, {}, nullptr, mpi).at(bytes);
        if (const auto by_clock = best.native() ? std::nullopt : timed(links, *placement, best, bytes)) {
            better.add(static_cast<double>(on.calls), on.median_seconds,
                       std::max(by_clock->seconds, bound.seconds_per_byte * static_cast<double>(bytes)),
                       to_string(best));
        }
    }
    return better;
}

/// Fills in what is known of a group beyond its calls.
void look_closer(Group& group, const Communicators& communicators, const std::vector<Group>& groups,
                 const Network* network, const NetworkModel* model, const std::string& mpi) {
    if (const Group* const own = group.native() ? &group : sibling(groups, group, true)) {
        group.native_seconds = own->median_seconds;
    }
    const auto placement = communicators.placement(group.communicator);
    if (placement && has_lengths(group.routine)) {
        look_at_lengths(group, communicators, *network);
    }
    const auto bytes = static_cast<std::int64_t>(group.mean_bytes());
    if (!placement || !is_equal(group.routine) || bytes < 1) {
        return;
    }
    const Bound bound = network_bound(*network, *placement);
    if (bound.seconds_per_byte > 0) {
        group.bound_seconds = bound.seconds_per_byte * static_cast<double>(bytes);
        group.bound_seconds = communicators.mean_bound(group).value_or(*group.bound_seconds);
    }
    if (!group.native_seconds && model != nullptr) {
        if (const auto native = MethodModel::create(*network, *placement, Method(), *model)) {
            group.native_seconds = native->seconds(bytes).value;
            group.native_is_modelled = true;
        }
    }
    if (group.native() && group.on.size() <= Communicators::most_of_a_group) {
        better_for_blocks(group, communicators, *network, bytes, mpi).enter(group);
    }
}

// ---- The pictures ----

struct Rival {
    std::string_view algorithm;
    Phase window;  ///< 0: everything at once
    const char* title;
};

std::vector<Rival> rivals_of(const std::string& mpi) {
    const KnownMpi* const known = find_mpi(mpi);
    const std::string_view one_by_one = known != nullptr ? known->one_by_one : known_mpis.front().one_by_one;
    return {{one_by_one, 1,
             one_by_one == "pairwise" ? "Native, pair after pair (model)" : "Native, step after step (model)"},
            {"linear", 0, "Native, everything at once (model)"}};
}

/// A way of doing the exchange, before there is an axis.
struct Way {
    std::string title;
    std::string basis;
    std::vector<Piece> pieces;
    std::optional<FluidRun> fluid;
    double seconds = 0;
};

std::vector<Way> fluid_ways(const Ways& ways, const std::string& mpi, double wire) {
    std::vector<Way> found;
    for (const Rival& rival : rivals_of(mpi)) {
        const auto method = parse_method(rival.algorithm, ways.network().kind());
        if (!method || method->native()) {
            continue;
        }
        const auto timetable = build_timetable(*method->algorithm, method->variant, ways.network(), ways.placement());
        if (!timetable) {
            continue;
        }
        const Phase window = rival.window > 0 ? rival.window : std::max<Phase>((*timetable)->phases(), 1);
        if (auto run = run_as_fluid(ways, **timetable, window, wire)) {
            const double seconds = run->seconds;
            found.push_back({rival.title,
                             "A model of an algorithm that MPIs use, not a measurement: messages share links fairly, "
                             "nothing is lost and nobody is late, which is better than TCP does.",
                             {},
                             std::move(run),
                             seconds});
        }
    }
    return found;
}

/// The recorded exchange that was noted last on that communicator by that method, if any.
std::int64_t recorded_exchange(const Record& record, const Group& group) {
    std::int64_t last = 0;
    for (const RecordedCall& call : record.calls) {
        const bool alike = call.communicator == group.communicator && call.method == group.method &&
                           call.routine == group.routine &&
                           call.bytes / std::max<std::int64_t>(group.ranks, 1) == group.most_bytes;
        last = alike ? std::max(last, call.exchange) : last;
    }
    return last;
}

bool within(const std::vector<Piece>& pieces, Rank ranks) {
    return std::all_of(pieces.begin(), pieces.end(), [&](const Piece& piece) {
        return piece.from >= 0 && piece.from < ranks && piece.to >= 0 && piece.to < ranks && piece.from != piece.to;
    });
}

/// The scheduled and the recorded time-triggered exchange of a group.
std::vector<Way> clock_ways(const Record& record, const Ways& ways, const Group& group, std::int64_t bytes) {
    std::vector<Way> found;
    const Network& network = ways.network();
    const Bound bound = network_bound(network, ways.placement());
    auto method = parse_method(!group.native()               ? group.method
                               : group.better_method.empty() ? "lattice+timed"
                                                             : group.better_method,
                               network.kind());
    auto plan = method ? timed(network, ways.placement(), *method, bytes) : std::nullopt;
    if (!plan) {
        return found;
    }
    if (auto pieces = scheduled_pieces(plan->prepared, bytes)) {
        const Segmentation cut =
            segment_message(bytes, plan->prepared.cadence, plan->prepared.method.synchronisation.segment_bytes);
        found.push_back({fmt::format("aapc: {}, as scheduled", to_string(plan->prepared.method)),
                         fmt::format("The timetable, in segments of {}: each starts by the clock, so that no link is "
                                     "asked for more than it carries.",
                                     size_text(cut.segment_bytes)),
                         std::move(*pieces), std::nullopt,
                         plan->seconds - selection::expected_start_seconds(bound, ways.placement().participants())});
    }
    if (const std::int64_t exchange = recorded_exchange(record, group); exchange > 0) {
        auto pieces = recorded_pieces(record, group.communicator, exchange, plan->prepared.cadence.wire);
        if (!pieces.empty() && within(pieces, ways.placement().participants())) {
            double last = 0;
            for (const Piece& piece : pieces) {
                last = std::max(last, piece.start_seconds);
            }
            found.push_back({"aapc: the same, as it really started",
                             fmt::format("Exchange number {} of the job on this communicator, by the times at which "
                                         "its segments were started (AAPC_RECORD_SEGMENTS).",
                                         exchange),
                             std::move(pieces), std::nullopt,
                             std::max(last, found.empty() ? 0 : found.front().seconds)});
        }
    }
    return found;
}

std::optional<Comparison> compare(const Record& record, const Communicators& communicators, const Network& network,
                                  const std::vector<Group>& groups, Group group) {
    const auto placement = communicators.placement(group.communicator);
    const auto bytes = static_cast<std::int64_t>(group.mean_bytes());
    const Bound bound = network_bound(network, *placement);
    const auto ways = Ways::find(network, *placement);
    if (!ways || bound.seconds_per_byte <= 0) {
        return std::nullopt;
    }
    Comparison comparison;
    comparison.heading = fmt::format("{} from each of {} ranks to each other", size_text(bytes), group.ranks);
    comparison.network = &network;
    comparison.links_with_messages = bound.links.size();
    comparison.bound_seconds = communicators.bound(group, group.communicator);
    comparison.together = group.together;
    comparison.seconds = 1.04 * comparison.bound_seconds.value_or(0);
    const Group* const own = sibling(groups, group, true);
    const Group* const ours = sibling(groups, group, false);
    comparison.own_seconds = own != nullptr ? std::optional(own->median_seconds) : std::nullopt;
    comparison.ours_seconds = ours != nullptr ? std::optional(ours->median_seconds) : std::nullopt;
    const bool same_place = ours != nullptr && ours->communicator == group.communicator;
    std::vector<Way> all = clock_ways(record, *ways, same_place ? *ours : group, bytes);
    const double wire = static_cast<double>(wire_bytes(bytes, wire_format(network.mtu_bytes())));
    for (Way& way : fluid_ways(*ways, record.head.mpi, wire)) {
        all.push_back(std::move(way));
    }
    for (const Way& way : all) {
        comparison.seconds = std::max(comparison.seconds, 1.04 * way.seconds);
    }
    const Frame frame{shown_links(*ways, most_compared_rows), comparison.seconds, compared_columns, false};
    for (Way& way : all) {
        LinkUse use = way.fluid ? use_of_fluid(*way.fluid, frame) : use_of_pieces(*ways, way.pieces, frame);
        const double end = use.end_seconds;
        comparison.panels.push_back({std::move(way.title), std::move(way.basis), std::move(use), end});
    }
    return comparison.panels.empty() ? std::nullopt : std::optional(std::move(comparison));
}

// ---- Sentences ----

void find_effect(Figures& figures, const Record& record) {
    if (record.head.learned && record.head.learned->own_seconds > 0) {
        figures.effect = {record.head.learned->seconds, record.head.learned->own_seconds,
                          "by the native calls of this job, learning included"};
        return;
    }
    Figures::Effect effect;
    bool modelled = false;
    for (const Group& group : figures.groups) {
        if (!group.native() && group.native_seconds) {
            effect.seconds += group.seconds;
            effect.native_seconds +=
                of_mean_rank(group, record) * *group.native_seconds * static_cast<double>(group.calls);
            modelled = modelled || group.native_is_modelled;
        }
    }
    if (effect.native_seconds > 0) {
        effect.basis = modelled ? "by the model" : "by native calls of the same size in this job";
        figures.effect = std::move(effect);
    }
}

void find_fraction(Figures& figures) {
    double bounds = 0;
    double times = 0;
    double unknown = 0;
    for (const Group& group : figures.groups) {
        const double seconds = group.median_seconds * static_cast<double>(group.calls);
        if (group.bound_seconds) {
            const double bound = *group.bound_seconds * static_cast<double>(group.calls);
            bounds += bound;
            // Rank 0 may have less to do than others, but the exchange took no less than its bound.
            times += group.lengths_known ? std::max(seconds, bound) : seconds;
        } else {
            unknown += seconds;
        }
    }
    // The counts that go before unequal messages say nothing of these.
    if (times > unknown) {
        figures.of_bound = bounds / times;
    }
}

/// Below that share, a difference is none.
constexpr double least_difference = 0.01;

std::string sentence_of(const Figures::Effect& effect) {
    const double saved = effect.native_seconds - effect.seconds;
    const std::string times =
        fmt::format("the calls that aapc served took {}, and native ones would have taken {} ({})",
                    time_text(effect.seconds), time_text(effect.native_seconds), effect.basis);
    if (saved > least_difference * effect.native_seconds) {
        return fmt::format("aapc saved you {}: {}.", time_text(saved), times);
    }
    if (saved < -least_difference * effect.native_seconds) {
        return fmt::format("aapc cost you {:.0f} % here: {}.", -100 * saved / effect.native_seconds, times);
    }
    return fmt::format("aapc made no difference here: {}.", times);
}

std::optional<std::string> too_fast(const Figures& figures, const Record& record) {
    return figures.of_bound ? faster_than_wires(*figures.of_bound, 1, record.head.topology_file) : std::nullopt;
}

/// Whether what a schedule should gain is worth a sentence.
bool gains(const Figures& figures) {
    return figures.gain_seconds > 0 && figures.gain_seconds > 0.005 * figures.call_seconds;
}

bool on_one_machine(const Record& record) {
    const std::vector<std::string>& hosts = record.head.hosts;
    return std::all_of(hosts.begin(), hosts.end(), [&](const std::string& host) { return host == hosts.front(); });
}

/// Whether the network has every host of the job.
bool names_all_hosts(const Record& record, const Network& network) {
    return std::all_of(record.head.hosts.begin(), record.head.hosts.end(),
                       [&](const std::string& host) { return network.find_machine(host) >= 0; });
}

void add_results(Figures& figures, const Record& record) {
    const auto result = [&](std::string text) { figures.results.push_back(std::move(text)); };
    if (figures.effect) {
        result(sentence_of(*figures.effect));
    }
    if (gains(figures)) {
        result(fmt::format("A schedule should save {} of the native calls' time: a prediction, not a measurement.",
                           time_text(figures.gain_seconds)));
    }
    if (figures.most_gain_seconds > least_difference * figures.call_seconds) {
        result(fmt::format(
            "Several communicators exchange at the same time. In their calls aapc is not expected to be faster; no "
            "schedule could save more than {} of their time.",
            time_text(figures.most_gain_seconds)));
    }
    if (const auto fast = too_fast(figures, record)) {
        result(fmt::format("The calls were {}.", *fast));
    } else if (figures.of_bound) {
        result(fmt::format("Where the network is known, calls reached {:.2f} of what its links carry.",
                           *figures.of_bound));
    }
    if (figures.paths) {
        result(sentence_of(*figures.paths));
    }
    if (figures.results.empty() && figures.calls > 0) {
        result(on_one_machine(record) ? "All ranks are on one machine, so no message crosses a wire."
                                      : "What they would gain is not known: the end says what to do.");
    }
}

void add_next_steps(Figures& figures, const Record& record, const Network* network) {
    const auto step = [&](std::string text) { figures.next_steps.push_back(std::move(text)); };
    constexpr double little = 0.02;
    if (figures.calls <= 0) {
        step("Leave this program alone: it has no all-to-all to make faster.");
        return;
    }
    if (figures.job_seconds > 0 && figures.call_seconds < little * figures.job_seconds) {
        step(fmt::format("Look elsewhere first: all-to-alls take {:.1f} % of this job.",
                         100 * figures.call_seconds / figures.job_seconds));
    }
    if (on_one_machine(record)) {
        step("Record a run on several machines: between them a schedule can gain. On one, there are no wires.");
        return;
    }
    if (network == nullptr) {
        step(
            "Say what the network is: aapc report RECORD --topology cluster.toml, or --assume 1Gbit where one switch "
            "of that speed joins all machines. Then this page says what could be gained, in seconds.");
        step("mpirun ... aapc discover -o cluster.toml finds switches and speeds by measuring.");
        return;
    }
    if (!names_all_hosts(record, *network)) {
        step("Name all hosts of the job in the topology file, or give another: nothing is known of the others' wires.");
    }
    if (too_fast(figures, record)) {
        step("Correct the speeds in the topology file; mpirun ... aapc discover measures them.");
    }
    if (figures.effect && figures.effect->seconds > (1 + least_difference) * figures.effect->native_seconds) {
        step(
            "Run mpirun ... aapc doctor on these hosts: it names what slows exchanges down. AAPC_OFF=1 leaves all "
            "calls to the MPI until then.");
    }
    constexpr double far_from_bound = 0.6;
    const bool is_slow = figures.of_bound && *figures.of_bound < far_from_bound;
    if ((gains(figures) || is_slow) && figures.exchanged <= 0) {
        step(
            "Run the job again by aapc exec --topology FILE --record job.jsonl -- PROGRAM, and make this page "
            "of the new record: aapc tries schedules in the program's own calls, and the page compares.");
    } else if (gains(figures)) {
        step("Run mpirun ... aapc bench with these sizes to confirm the prediction, or aapc tune on idle machines.");
    }
    const bool has_unequal = std::any_of(figures.groups.begin(), figures.groups.end(), [](const Group& group) {
        return !group.bound_seconds && !group.lengths_known && !group.routine.empty() &&
               (group.routine.back() == 'v' || group.routine.back() == 'w');
    });
    if (has_unequal && figures.exchanged <= 0) {
        step(
            "Nothing is predicted for unequal messages, since the record does not have the length of each. Run the job "
            "again by aapc exec --topology FILE --record job.jsonl -- PROGRAM: aapc tries schedules in the program's "
            "own calls, and the page of that record compares.");
    }
    if (record.head.learned) {
        step("Keep what this job has learned for the next one: aapc exec --learned FILE.");
    }
    if (figures.next_steps.empty()) {
        step("Nothing is left to do for the all-to-alls of this job.");
    }
}

/// Which bound it is, and what a hash leaves of it if all ranks of the file take part.
void add_bounds_by_name(Figures& figures, const Network& network) {
    const Placement all = full_placement(network);
    const Bound bound = network_bound(network, all);
    figures.bound_kind = bound.kind;
    if (const auto hashed = hashed_bounds(network, all)) {
        figures.remarks.push_back(
            fmt::format("The even bound is as if cables shared perfectly. Under a hash, with one path for each pair of "
                        "ranks, {:.2f} of "
                        "it is expected on average and {:.2f} in the worst of twenty draws.",
                        bound.seconds_per_byte / hashed->formula.mean, bound.seconds_per_byte / hashed->formula.worst));
    }
}

void add_remarks(Figures& figures, const Record& record, const Network* network, const Communicators& communicators) {
    const auto remark = [&](std::string text) { figures.remarks.push_back(std::move(text)); };
    if (record.head.dropped_calls > 0) {
        remark(fmt::format("{} calls had no room in the record; they are in the sums, and in nothing else.",
                           record.head.dropped_calls));
    }
    if (record.head.dropped_segments > 0) {
        remark(fmt::format("{} segments had no room in the record.", record.head.dropped_segments));
    }
    if (network != nullptr && !record.communicators.empty() &&
        !communicators.placement(record.communicators.front().name)) {
        remark(
            "Some hosts of the job are not in the topology file, so bounds and pictures are left out for their "
            "communicators.");
    }
    const auto most =
        std::max_element(figures.groups.begin(), figures.groups.end(),
                         [](const Group& left, const Group& right) { return left.together < right.together; });
    if (most != figures.groups.end() && most->together > 1) {
        remark(
            fmt::format("The bound of calls that {} communicators of {} ranks make at the same time is what their "
                        "wires need for all of these messages.",
                        most->together, most->ranks));
    }
    remark(
        "Times of a call are those of rank 0 of its communicator. A call that does not block is timed until it "
        "returns, and does not count in the time of all-to-alls.");
}

}  // namespace

Figures figures_of(const Record& record, const Network* network, const NetworkModel* model) {
    Figures figures;
    const Communicators communicators(record, network);
    const auto ranks = static_cast<double>(std::max<std::size_t>(record.head.hosts.size(), 1));
    figures.job_seconds = record.head.seconds;
    for (const RecordedTotal& total : record.totals) {
        const auto calls = static_cast<double>(total.calls);
        figures.calls += calls;
        figures.bytes += static_cast<double>(total.bytes);
        figures.exchanged += total.outcome == "exchanged" ? calls : 0;
        figures.call_seconds += blocks(total.routine) ? total.seconds / ranks : 0;
    }
    for (const RecordedRank& rank : record.ranks) {
        figures.waited_seconds += rank.waited_seconds / ranks;
        figures.waiting_is_known = figures.waiting_is_known || rank.calls_known > 0;
    }
    figures.groups = groups_of(record, communicators);
    constexpr std::size_t looked_at = 24;
    double unequal_gain = 0;
    for (std::size_t index = 0; index < std::min(looked_at, figures.groups.size()); ++index) {
        look_closer(figures.groups[index], communicators, figures.groups, network, model, record.head.mpi);
        const Group& group = figures.groups[index];
        const double calls = of_mean_rank(group, record) * static_cast<double>(group.calls);
        if (group.scheduled_seconds) {
            unequal_gain += calls * (group.median_seconds - *group.scheduled_seconds);
        } else if (group.better_seconds) {
            figures.gain_seconds += calls * (group.median_seconds - *group.better_seconds);
        } else if (group.native() && group.together > 1 && group.bound_seconds) {
            figures.most_gain_seconds += calls * std::max(group.median_seconds - *group.bound_seconds, 0.0);
        }
        if (!figures.comparison && group.bound_seconds && group.ranks >= 3 && is_equal(group.routine)) {
            figures.comparison = compare(record, communicators, *network, figures.groups, group);
        }
    }
    figures.gain_seconds += std::max(unequal_gain, 0.0);
    find_effect(figures, record);
    if (network != nullptr && network->kind() == NetworkKind::fabric) {
        add_bounds_by_name(figures, *network);
    }
    find_fraction(figures);
    figures.paths = learned_paths_of(record, network);
    add_results(figures, record);
    add_next_steps(figures, record, network);
    add_remarks(figures, record, network, communicators);
    return figures;
}

}  // namespace aapc::report
