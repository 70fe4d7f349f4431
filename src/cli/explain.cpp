// `aapc explain`: what the interposer would do with a communicator's messages, and why. It asks the interposer's own
// decide(), so that the two cannot differ.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "aapc/algorithms/algorithm.hpp"
#include "aapc/archive/tuning.hpp"
#include "aapc/input/units.hpp"
#include "aapc/methods/buffer_limit.hpp"
#include "aapc/methods/preparation.hpp"
#include "aapc/methods/read_given_schedule.hpp"
#include "aapc/plan/pacing.hpp"
#include "archive/learned.hpp"
#include "bench/model_files.hpp"
#include "cli/command.hpp"
#include "cli/decision_text.hpp"
#include "cli/demand_options.hpp"
#include "cli/explained_ranks.hpp"
#include "cli/topology_argument.hpp"
#include "cli/unequal_report.hpp"
#include "cli/usable_tuning.hpp"
#include "input/environment.hpp"
#include "input/mpis.hpp"
#include "input/text_file.hpp"
#include "interposer/candidates.hpp"
#include "selection/buffers.hpp"
#include "selection/rule.hpp"
#include "selection/settings.hpp"
#include "selection/start.hpp"

namespace aapc::cli {

namespace {

using selection::Decision;

struct ExplainOptions {
    std::string topology;
    std::string tuning;
    std::string schedule;
    std::string learned;
    RankOptions ranks;
    std::string mpi;
    std::string buffer_limit;
    std::string start;  ///< the start-up overhead; empty for the expected one
    std::vector<std::string> sizes;
    std::vector<std::string> models;
    DemandOptions demand;
    std::string format = "text";
};

/// What programs have learned on this network, whatever the placement.
std::vector<Tuning> read_learned_for(const ExplainOptions& options, Explanation& explanation) {
    const std::string file = options.learned.empty() ? environment_variable("AAPC_LEARNED") : options.learned;
    if (file.empty()) {
        return {};
    }
    const auto text = read_text_file(file, {"a file of what was learned"});
    if (!text) {
        explanation.not_learned = to_string(text.error());
        return {};
    }
    const selection::LearnedFile learned = selection::take_apart_learned(*text, file);
    const Fingerprint here = make_fingerprint(explanation.network, {}, options.mpi, "", options.topology);
    auto sections = selection::sections_for(learned, here, explanation.network.kind(), file);
    if (learned.damage || !sections) {
        explanation.not_learned = to_string(learned.damage ? *learned.damage : sections.error());
        return {};
    }
    std::erase_if(*sections, [](const Tuning& section) { return section.fingerprint.unequal; });
    if (sections->empty()) {
        explanation.not_learned = fmt::format("{}: nothing in it is of this network and version", file);
    }
    return std::move(*sections);
}

/// The newest of them for the placement takes the place of a tuning, unless there is one for it.
void use_learned(const std::vector<Tuning>& sections, Explanation& explanation) {
    const auto fits = [&](const Tuning& tuning) {
        return selection::has_shape(explanation.network, explanation.placement, tuning);
    };
    const auto found = std::find_if(sections.rbegin(), sections.rend(), fits);
    if (found == sections.rend()) {
        if (!sections.empty()) {
            explanation.not_learned = "ranks that are placed otherwise have learned";
        }
    } else if (!explanation.tuning || !fits(*explanation.tuning)) {
        explanation.tuning = *found;
    }
}

/// Has the decision say what buffers it takes, and keep within the limit if there is one, as the interposer does.
Expected<void> look_at_buffers(const ExplainOptions& options, Timetables& timetables, Explanation& explanation) {
    if (options.buffer_limit.empty()) {
        const auto needs = selection::forwarding_methods(timetables, explanation.decision, largest_buffer_blocks);
        explanation.decision = selection::with_buffers(explanation.decision, needs);
        return {};
    }
    const auto limit = parse_size_of("--buffer-limit", options.buffer_limit);
    if (!limit) {
        return failure(limit.error());
    }
    const selection::LimitedDecision limited{explanation.decision,
                                             selection::decide(timetables, {}, nullptr, "", explanation.start_seconds)};
    const auto needs = selection::forwarding_methods(timetables, limited, largest_buffer_blocks);
    explanation.decision = selection::within_limit(limited, needs, *limit);
    return {};
}

/// The start-up overhead by --start; nullopt if it was not given.
Expected<std::optional<double>> given_start(const ExplainOptions& options) {
    if (options.start.empty()) {
        return std::nullopt;
    }
    auto start = parse_given_duration(options.start);
    if (!start) {
        start.error().file = "--start";
        return failure(std::move(start.error()));
    }
    return *start;
}

Expected<std::vector<std::int64_t>> explained_sizes(const ExplainOptions& options, const Explanation& explanation) {
    auto given = parse_sizes_of("--sizes", options.sizes);
    if (!given || !given->empty()) {
        return given;
    }
    std::vector<std::int64_t> sizes;
    if (explanation.decision.basis() == Decision::Basis::tuning) {
        for (const TunedRange& range : explanation.tuning->ranges) {
            for (const MeasuredSize& measured : range.measured) {
                sizes.push_back(measured.bytes);
            }
        }
    }
    return sizes.empty() ? std::vector<std::int64_t>{1, 1024, 8192, 32768, 131072, 1048576} : sizes;
}

/// `timed` does what its slots say after its start, if the links are as fast as the topology declares, with all
/// headers. Others promise no time.
std::optional<double> predicted_seconds_of(const Timing& timing, double start_seconds, const Method& method,
                                           std::int64_t bytes) {
    if (!timing.cadence.known() || method.synchronisation.kind != Synchronisation::Kind::timed || bytes < 1) {
        return std::nullopt;
    }
    const Cadence& cadence = timing.cadence;
    const double pace = method.synchronisation.pace > 0 ? method.synchronisation.pace : cadence.initial_pace();
    const Segmentation segmentation = segment_message(bytes, cadence, method.synchronisation.segment_bytes);
    return start_seconds + segmentation.end_seconds(*timing.phases) / pace;
}

/// What the tuning has measured of that method at that size; a limit of buffers may have put it in another's place.
std::optional<MeasuredSize> measured_at(const Explanation& explanation, const Method& method, std::int64_t bytes) {
    if (explanation.decision.basis() != Decision::Basis::tuning) {
        return std::nullopt;
    }
    for (const TunedRange& range : explanation.tuning->ranges) {
        for (const MeasuredSize& measured : range.measured) {
            if (measured.bytes == bytes && range.method == method) {
                return measured;
            }
        }
    }
    return std::nullopt;
}

std::string reason_against(const Explanation& explanation, const Timetable& timetable) {
    if (explanation.decision.basis() == Decision::Basis::tuning) {
        return "no faster where another was chosen: measured";
    }
    if (timetable.cycle()) {
        return "no link is asked for more than it carries, at any speeds; which is faster, only aapc tune can tell";
    }
    return is_contention_free(timetable.guarantee())
               ? "contention-free, too; which is faster, only aapc tune can tell"
               : "its messages may meet on links; whether that costs time, only aapc tune can tell";
}

void find_alternatives(Timetables& timetables, Explanation& explanation) {
    const auto chosen = [&](const Algorithm& algorithm) {
        return std::any_of(explanation.decision.ranges().begin(), explanation.decision.ranges().end(),
                           [&](const Decision::Range& range) { return range.method.algorithm == &algorithm; });
    };
    for (const Algorithm& algorithm : algorithms()) {
        if (chosen(algorithm)) {
            continue;
        }
        Alternative& alternative = explanation.alternatives.emplace_back();
        alternative.name = fmt::format("{}/{}", algorithm.name, algorithm.variants.front());
        if (explanation.placement.participants() < 1) {
            alternative.reason = "nobody takes part";
            continue;
        }
        const auto timetable = timetables.find(algorithm, algorithm.variants.front());
        if (timetable) {
            alternative.phases = (*timetable)->phases();
            alternative.cyclic = (*timetable)->cycle().has_value();
            alternative.reason = reason_against(explanation, **timetable);
        } else {
            alternative.reason = timetable.error().problem;
        }
    }
}

/// What a program's first call of each size begins with, and why, as the interposer does it: candidates are those of
/// `decision`, the rule's, and `learned`, if not null, has the winners of earlier jobs.
void find_reasons(const Decision& decision, const Tuning* learned, double least_start_seconds,
                  Explanation& explanation) {
    const interposer::NumberedMethods numbered = interposer::numbered_methods(decision);
    const std::vector<Method>& methods = numbered.methods;
    const double set_up = interposer::expected_set_up_seconds(explanation.bound, explanation.placement.participants(),
                                                              selection::usual_message_seconds);
    for (SizeLine& line : explanation.sizes) {
        const std::int64_t bytes = std::max<std::int64_t>(line.bytes, 1);
        const double bound_seconds = static_cast<double>(bytes) * explanation.bound.seconds_per_byte;
        const Method* const before = learned != nullptr ? selection::learned_method(*learned, bytes) : nullptr;
        const auto winner = std::find_if(methods.begin(), methods.end(),
                                         [&](const Method& method) { return before != nullptr && method == *before; });
        learning::Beginning beginning = interposer::beginning_about(
            decision, numbered.of_range, bytes, bound_seconds,
            winner != methods.end() ? std::optional(static_cast<std::size_t>(winner - methods.begin())) : std::nullopt,
            [&](std::size_t number) {
                const Method& method = methods[number];
                return learning::Prospect{
                    number, method.native() ? 0 : set_up,
                    interposer::least_seconds_of(method, bytes, bound_seconds, least_start_seconds)};
            });
        beginning.share_of_ranks = explanation.share_of_ranks;
        if (beginning.prospects.size() > 1) {
            line.reasons = learning::reasons(learning::Trials(std::move(beginning)), {});
        }
    }
    explanation.candidates = methods;
}

/// By the model, if one is given.
Expected<void> add_predictions(const ExplainOptions& options, Explanation& explanation) {
    if (options.models.empty()) {
        return {};
    }
    auto known = bench::read_model_files(options.models);
    if (!known) {
        return failure(std::move(known.error()));
    }
    MethodModels models(explanation.network, explanation.placement, std::move(*known));
    for (const SizeLine& line : explanation.sizes) {
        auto modelled = models.at(line.method, std::max<std::int64_t>(line.bytes, 1), line.measured);
        if (!modelled) {
            return failure(std::move(modelled.error()));
        }
        explanation.modelled.push_back(std::move(*modelled));
    }
    return {};
}

/// The schedule file, if one was named.
Expected<std::optional<GivenSchedule>> schedule_of(const ExplainOptions& options, const Network& network) {
    if (options.schedule.empty()) {
        return std::nullopt;
    }
    const auto text = read_file(options.schedule, schedule_document);
    if (!text) {
        return failure(text.error());
    }
    auto given = read_given_schedule(*text, options.schedule, network, options.topology);
    if (!given) {
        return failure(std::move(given.error()));
    }
    return std::optional(std::move(*given));
}

Expected<Explanation> find_out(const ExplainOptions& options, Network network, ExplainedTuning read) {
    Explanation explanation(std::move(network));
    explanation.tuning = std::move(read.tuning);
    explanation.tuning_rejected = std::move(read.rejected);
    const std::vector<Tuning> learned = read_learned_for(options, explanation);
    const Tuning* const newest = learned.empty() ? nullptr : &learned.back();
    auto ranks =
        explained_ranks(options.ranks, explanation.network, explanation.tuning ? &*explanation.tuning : newest);
    if (!ranks) {
        return failure(ranks.error());
    }
    explanation.placement = std::move(ranks->placement);
    explanation.share_of_ranks = ranks->share_of_ranks;
    explanation.name = std::move(ranks->name);
    explanation.in_record = std::move(ranks->in_record);
    use_learned(learned, explanation);
    if (ranks->shared) {
        explanation.siblings = ranks->shared->siblings;
        explanation.network = std::move(ranks->shared->network);
    }
    const Tuning* const tuning = explanation.tuning ? &*explanation.tuning : nullptr;
    explanation.bound = network_bound(explanation.network, explanation.placement);
    explanation.hashed = hashed_bounds(explanation.network, explanation.placement);
    const auto start = given_start(options);
    if (!start) {
        return failure(start.error());
    }
    const selection::StartCosts costs = selection::start_costs(explanation.bound, explanation.placement.participants(),
                                                               selection::usual_message_seconds, *start);
    explanation.start_seconds = costs.usual_seconds;
    const auto given = schedule_of(options, explanation.network);
    if (!given) {
        return failure(given.error());
    }
    Timetables timetables(explanation.network, explanation.placement, *given ? &**given : nullptr);
    explanation.decision = selection::decide(timetables, {}, tuning, "", explanation.start_seconds);
    if (const auto looked = look_at_buffers(options, timetables, explanation); !looked) {
        return failure(looked.error());
    }
    for (const Decision::Range& range : explanation.decision.ranges()) {
        Timing& timing = explanation.timings.emplace_back();
        if (range.method.native()) {
            continue;
        }
        if (const auto prepared = prepare(timetables, range.method)) {
            timing.remark = prepared->timetable->remark();
            timing.phases = prepared->timetable->phases();
            timing.cyclic = prepared->timetable->cycle().has_value();
            timing.cadence = prepared->cadence;
        }
    }
    const auto sizes = explained_sizes(options, explanation);
    if (!sizes) {
        return failure(sizes.error());
    }
    for (const std::int64_t bytes : *sizes) {
        const std::size_t index = explanation.decision.range_of(bytes);
        const Decision::Range& range = explanation.decision.ranges()[index];
        explanation.sizes.push_back(
            {bytes,
             range.method,
             range.buffer_blocks * bytes,
             static_cast<double>(bytes) * explanation.bound.seconds_per_byte,
             predicted_seconds_of(explanation.timings[index], explanation.start_seconds, range.method, bytes),
             measured_at(explanation, range.method, bytes),
             {}});
    }
    // Where a tuning decides, nothing is learned.
    if (tuning == nullptr) {
        find_reasons(explanation.decision, nullptr, costs.least_seconds, explanation);
    } else if (tuning->conditions.calls > 0) {
        const auto rule = selection::decide(timetables, {}, nullptr, "", explanation.start_seconds);
        find_reasons(rule, tuning, costs.least_seconds, explanation);
    }
    find_alternatives(timetables, explanation);
    if (auto added = add_predictions(options, explanation); !added) {
        return failure(std::move(added.error()));
    }
    return explanation;
}

bool is_of_unequal(const std::optional<Tuning>& tuning) { return tuning && tuning->fingerprint.unequal; }

/// What would become of unequal messages.
int explain_unequal(const ExplainOptions& options, const Network& network, ExplainedTuning read) {
    const auto ranks = explained_ranks(options.ranks, network, read.tuning ? &*read.tuning : nullptr);
    if (!ranks) {
        return complain(ranks.error());
    }
    const auto sizes = parse_sizes_of("--sizes", options.sizes);
    if (!sizes) {
        return complain(sizes.error());
    }
    std::optional<NetworkModel> model;
    if (!options.models.empty()) {
        auto known = bench::read_model_files(options.models);
        if (!known) {
            return complain(known.error());
        }
        model = std::move(*known);
    }
    const auto start = given_start(options);
    if (!start) {
        return complain(start.error());
    }
    const bool holds = is_of_unequal(read.tuning) && selection::has_shape(network, ranks->placement, *read.tuning);
    if (read.tuning && !holds) {
        read.rejected = is_of_unequal(read.tuning) ? "it is for ranks placed otherwise" : "it is of equal messages";
    }
    return answer_unequal({ranks->shared ? ranks->shared->network : network,
                           ranks->placement,
                           options.demand,
                           *sizes,
                           {},
                           std::move(model),
                           *start,
                           options.format == "json",
                           holds ? &*read.tuning : nullptr,
                           std::move(read.rejected),
                           ranks->shared ? ranks->shared->siblings : 1});
}

int run_explain(const ExplainOptions& options) {
    auto network = read_network(options.topology);
    if (!network) {
        return complain(network.error());
    }
    ExplainedTuning read = read_explained_tuning(options.tuning, *network, options.topology, options.mpi);
    if (options.demand.given() || is_of_unequal(read.tuning)) {
        return explain_unequal(options, *network, std::move(read));
    }
    const auto explanation = find_out(options, std::move(*network), std::move(read));
    if (!explanation) {
        return complain(explanation.error());
    }
    return write_output("", options.format == "json" ? explanation_json(*explanation) : explanation_text(*explanation));
}

}  // namespace

void add_explain_command(Command& program, Invocation& invocation) {
    Command command = program.subcommand(
        "explain", "Say what MPI_Alltoall would do on a communicator, for which message sizes, and why");
    const auto options = std::make_shared<ExplainOptions>();
    add_topology_argument(command, "FILE", options->topology);
    command.option("--tuning", options->tuning, "tuning file that aapc tune wrote (docs/tuning.md)").type_name("FILE");
    command
        .option("--schedule", options->schedule,
                "schedule file that aapc schedule --thorough wrote, as with AAPC_SCHEDULE")
        .type_name("FILE");
    command
        .option("--learned", options->learned,
                "what programs have learned (docs/learning.md); default: the file that AAPC_LEARNED names")
        .type_name("FILE");
    add_rank_options(command, options->ranks);
    command
        .option("--buffer-limit", options->buffer_limit,
                "most memory for forwarded blocks on a rank, such as 64Mi, as with AAPC_BUFFER_LIMIT")
        .type_name("SIZE");
    command
        .option("--start", options->start,
                "what the start of a scheduled exchange costs, such as 500us, as a job says with AAPC_VERBOSE=2; "
                "default: what is expected")
        .type_name("TIME");
    add_demand_options(command, options->demand);
    command
        .option("--sizes", options->sizes,
                "message sizes, as in 1,8Ki,1M, of a pattern on average; what fractions are of; default: those that "
                "were measured")
        .separated_by(',')
        .type_name("SIZE,...");
    command
        .option("--model", options->models,
                "what aapc fit wrote for this network: shows its predictions against what was measured")
        .separated_by(',')
        .type_name("FILE,...");
    command
        .option("--mpi", options->mpi,
                fmt::format("the MPI that will run, {}; default: the tuning's", known_mpi_names()))
        .type_name("NAME");
    command.option("--format", options->format, "text or json").one_of({"text", "json"}).show_default();
    command.example("aapc explain cluster.toml --machines \"n[0-15]\"", "what runs on these machines, by size");
    command.example("aapc explain cluster.toml --record job.jsonl",
                    "what runs on the communicator in whose calls a job spent most time");
    command.on_run([options, &invocation] { invocation.status = run_explain(*options); });
}

}  // namespace aapc::cli
