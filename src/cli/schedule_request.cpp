#include "cli/schedule_request.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <optional>
#include <string_view>
#include <utility>

#include "aapc/algorithms/algorithm.hpp"
#include "aapc/input/units.hpp"
#include "aapc/methods/preparation.hpp"
#include "aapc/offline/make_schedule.hpp"
#include "aapc/topology/bound.hpp"
#include "cli/topology_argument.hpp"
#include "console/command_line.hpp"
#include "console/free_memory.hpp"
#include "console/output.hpp"
#include "input/wording.hpp"
#include "selection/crossover.hpp"
#include "selection/rule.hpp"
#include "selection/start.hpp"

namespace aapc::cli {

namespace {

/// A violation here is the program's own mistake, not the user's: the schedule was made by it.
int complain_of_internal_error(const std::string& topology, const Violation& violation) {
    complain({.file = topology,
              .problem = fmt::format("internal error: the schedule made for it is wrong. {}", violation.what),
              .advice = "please report this with the topology file"});
    return check_failed;
}

Expected<const Algorithm*> chosen_algorithm(const std::string& name, const Network& network) {
    if (!name.empty()) {
        return find_algorithm(name);
    }
    const auto found = std::find_if(algorithms().begin(), algorithms().end(),
                                    [&](const Algorithm& algorithm) { return algorithm.is_for(network.kind()); });
    if (found == algorithms().end()) {
        return failure(fmt::format("there is no algorithm for networks of kind '{}'", to_string(network.kind())),
                       "give a topology of another kind");
    }
    return &*found;
}

/// "tree (merged, paper)" for every algorithm.
std::string algorithms_with_variants() {
    std::vector<std::string> entries;
    for (const Algorithm& algorithm : algorithms()) {
        entries.push_back(fmt::format("{} ({})", algorithm.name, algorithm.variant_names()));
    }
    return fmt::format("{}", fmt::join(entries, "; "));
}

/// A line for every synchronisation, for the end of --help.
std::string synchronisations_with_summaries() {
    std::string text = "Synchronisations (docs/synchronisation.md):";
    for (const SynchronisationEntry& entry : synchronisations()) {
        text += fmt::format("\n  {:<30}{}{}", entry.form, entry.summary,
                            needs_contention_free_phases({entry.kind, 0, 0, 0}) ? " *" : "");
    }
    return text + "\n  * only for algorithms whose phases are contention-free on the network\n";
}

Expected<std::int64_t> size_of(const std::string& text, const char* option) {
    auto size = parse_size(text);
    if (!size) {
        size.error().file = option;
    }
    return size;
}

/// The sizes that limit the buffers, in bytes.
struct Limit {
    std::int64_t bytes = 0;
    std::int64_t message_bytes = 0;
    [[nodiscard]] std::int64_t blocks() const { return bytes / std::max<std::int64_t>(message_bytes, 1); }
};

Expected<std::optional<Limit>> limit_of(const ScheduleRequest& request) {
    if (request.buffer_limit.empty()) {
        return std::nullopt;
    }
    const auto limit = size_of(request.buffer_limit, "--buffer-limit");
    const auto message = size_of(request.message_size, "--message-size");
    if (!limit || !message) {
        return failure(limit ? message.error() : limit.error());
    }
    return Limit{*limit, *message};
}

/// Says what the limit has changed.
void report_limit(const Prepared& prepared, const Limit& limit) {
    for (const BufferedMethod& large : prepared.too_large) {
        std::cerr << fmt::format("aapc: {} would need {} bytes of buffers on some rank, which is above the limit\n",
                                 large.method.variant, large.buffer_blocks * limit.message_bytes);
    }
    if (!prepared.too_large.empty()) {
        std::cerr << fmt::format("aapc: using {}, which needs {} bytes\n", prepared.method.variant,
                                 *prepared.buffer_blocks * limit.message_bytes);
    }
}

/// A method as tuning files and settings write it: tree/merged+sender.
Expected<Method> whole_method(const ScheduleRequest& request, const Network& network) {
    auto method = parse_method(request.algorithm, network.kind());
    if (!method) {
        method.error().file = "--algorithm";
        return method;
    }
    if (!request.variant.empty()) {
        return failure({.file = "--variant",
                        .problem = fmt::format("{} has its variant", in_quotes(request.algorithm)),
                        .advice = "leave --variant and --divisions out"});
    }
    if (request.algorithm.find('+') == std::string::npos && !request.synchronisation.empty()) {
        const auto synchronisation = parse_synchronisation(request.synchronisation);
        if (!synchronisation) {
            return failure(synchronisation.error());
        }
        method->synchronisation = *synchronisation;
    }
    return method;
}

/// The method that is asked for.
Expected<Method> chosen_method(const ScheduleRequest& request, const Network& network) {
    if (request.algorithm.find_first_of("/+") != std::string::npos) {
        return whole_method(request, network);
    }
    const Expected<const Algorithm*> algorithm = chosen_algorithm(request.algorithm, network);
    if (!algorithm) {
        return failure(algorithm.error());
    }
    Method method{*algorithm, request.variant, (*algorithm)->synchronisation};
    if (method.variant.empty()) {
        method.variant = method.algorithm->variants.front();
    }
    if (!request.synchronisation.empty()) {
        const Expected<Synchronisation> synchronisation = parse_synchronisation(request.synchronisation);
        if (!synchronisation) {
            return failure(synchronisation.error());
        }
        method.synchronisation = *synchronisation;
    }
    return method;
}

/// What the request comes to on this network, or why it cannot be had.
Expected<Prepared> prepare_request(const ScheduleRequest& request, const Network& network, const Placement& placement) {
    const auto method = chosen_method(request, network);
    if (!method) {
        return failure(method.error());
    }
    const auto limit = limit_of(request);
    if (!limit) {
        return failure(limit.error());
    }
    auto prepared = prepare(network, placement, network_bound(network, placement), *method,
                            {.most_buffer_blocks = *limit ? std::optional((*limit)->blocks()) : std::nullopt,
                             .effort = request.thorough ? Effort::thorough : Effort::at_set_up});
    if (prepared && *limit) {
        report_limit(*prepared, **limit);
    }
    return prepared;
}

/// Why the table of all messages does not fit into what memory there is, if it does not. What is counted is what there
/// is at least: a message, the checker's note of it and, where blocks are passed on, what it carries.
std::optional<Diagnostic> too_large(const Timetable& timetable) {
    const double ranks = timetable.participants();
    const double messages = ranks * (ranks - 1);
    const double bytes = messages * (timetable.forwards() ? 64 : 24);
    const auto free = free_memory();
    if (!free || bytes <= static_cast<double>(*free)) {
        return std::nullopt;
    }
    return Diagnostic{
        .file = "aapc",
        .problem = fmt::format("{:.0f} messages of {:.0f} ranks take {:.0f} MiB of memory at least, and {} "
                               "MiB are free",
                               messages, ranks, bytes / 1048576, *free >> 20),
        .advice = "describe fewer machines; jobs need no table, each rank computes its own part"};
}

/// By the rule, without a measured start-up overhead.
std::int64_t first_block_worth_a_start(const Network& network, const Placement& placement, const Bound& bound) {
    return bound.seconds_per_byte > 0
               ? selection::crossover(network, placement, bound,
                                      selection::expected_start_seconds(bound, placement.participants()))
                     .block_bytes
               : selection::smallest_scheduled_block;
}

}  // namespace

void add_schedule_options(Command& command, ScheduleRequest& request) {
    add_topology_argument(command, "FILE", request.topology);
    command
        .option("--algorithm", request.algorithm,
                fmt::format("algorithm, or a method, ALGORITHM[/VARIANT][+SYNCHRONISATION], as everywhere; with their "
                            "variants: {}; the first one for this kind of network if not given",
                            algorithms_with_variants()))
        .type_name("METHOD");
    Option variant =
        command.option("--variant", request.variant, "variant of the algorithm; its first one if not given");
    variant.type_name("NAME");
    command
        .number(
            "--divisions",
            [&request](std::uint16_t divisions) { request.variant = fmt::format("divisions-{}", divisions); },
            "how often algorithm torus divides the torus: --divisions 2 is --variant divisions-2")
        .excludes(variant);
    Option message = command.option("--message-size", request.message_size, "size of a block, for --buffer-limit");
    Option limit = command.option(
        "--buffer-limit", request.buffer_limit,
        "most memory for forwarded blocks on a rank, such as 64Mi: algorithm torus divides less often where it needs "
        "more");
    limit.type_name("SIZE").needs(message);
    message.type_name("SIZE").needs(limit);
    const std::string unless_given = request.synchronisation.empty() ? "; the algorithm's own if not given" : "";
    command
        .option("--synchronisation", request.synchronisation,
                "how phases are kept apart, one of those below" + unless_given)
        .type_name("NAME")
        .show_default();
    command.footer(synchronisations_with_summaries());
}

Expected<CheckedSchedule, int> make_schedule(const ScheduleRequest& request) {
    const auto refuse = [](const Diagnostic& diagnostic) { return tl::unexpected<int>(complain(diagnostic)); };
    Expected<Network> read = read_network(request.topology);
    if (!read) {
        return refuse(read.error());
    }
    auto network = std::make_unique<Network>(std::move(*read));
    const Placement placement = full_placement(*network);
    const Expected<Prepared> prepared = prepare_request(request, *network, placement);
    if (!prepared) {
        return refuse(prepared.error());
    }
    if (const auto mistake = too_large(*prepared->timetable)) {
        return refuse(*mistake);
    }
    const Bound bound = network_bound(*network, placement);
    if (const auto remark = selection::remark_on_phases(*prepared->timetable, *network, bound)) {
        std::cerr << fmt::format("aapc: {}\n", *remark);
    }
    auto made = aapc::make_schedule(*prepared, *network, placement, request.reduction);
    if (!made) {
        return tl::unexpected<int>(complain_of_internal_error(request.topology, made.error()));
    }
    const std::int64_t worth_a_start = first_block_worth_a_start(*network, placement, bound);
    return CheckedSchedule{std::move(network),     std::move(made->schedule), prepared->method.synchronisation,
                           std::move(made->edges), prepared->cadence,         worth_a_start};
}

}  // namespace aapc::cli
