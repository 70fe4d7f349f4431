#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "aapc/algorithm.hpp"
#include "aapc/bound.hpp"
#include "aapc/documents.hpp"
#include "aapc/topology_file.hpp"
#include "cli/command.hpp"

namespace aapc::cli {

namespace {

struct ScheduleOptions {
    std::string topology;
    std::string algorithm;
    std::string variant;
    std::string synchronisation = "none";
    std::string reduction = "pair";
    std::string format = "table";
    std::string output;
};

constexpr std::pair<std::string_view, Reduction> reductions[] = {
    {"pair", Reduction::pair_rule},
    {"exact", Reduction::exact},
    {"none", Reduction::none},
};

/// A violation here is the program's own mistake, not the user's: the schedule was made by it.
int complain_of_internal_error(const std::string& topology, const Violation& violation) {
    complain({topology, 0, 0, fmt::format("internal error: the schedule made for it is wrong. {}", violation.what),
              "please report this with the topology file"});
    return check_failed;
}

int run(const ScheduleOptions& options) {
    const Expected<const Algorithm*> algorithm =
        options.algorithm.empty() ? &algorithms().front() : find_algorithm(options.algorithm);
    if (!algorithm) {
        return complain(algorithm.error());
    }
    const Expected<Synchronisation> synchronisation = parse_synchronisation(options.synchronisation);
    if (!synchronisation) {
        return complain(synchronisation.error());
    }
    const Expected<Network> network = read_topology_file(options.topology);
    if (!network) {
        return complain(network.error());
    }
    const std::string_view variant = options.variant.empty() ? (*algorithm)->variants.front() : options.variant;
    const Demand demand = full_demand(*network);
    const Expected<std::unique_ptr<Timetable>> timetable = build_timetable(**algorithm, variant, *network, demand);
    if (!timetable) {
        return complain(timetable.error());
    }
    const std::int64_t bound = tree_bound(*network, demand).messages;
    const Expected<Schedule, Violation> schedule = check_schedule(
        tabulate(**timetable, std::string((*algorithm)->name), std::string(variant), bound), *network, demand);
    if (!schedule) {
        return complain_of_internal_error(options.topology, schedule.error());
    }
    const Reduction reduction = std::find_if(std::begin(reductions), std::end(reductions), [&](const auto& entry) {
                                    return entry.first == options.reduction;
                                })->second;
    const std::vector<Edge> edges = synchronisation_edges(*schedule, *synchronisation, reduction);
    if (const std::optional<Violation> violation = check_synchronisation(*schedule, *synchronisation, edges)) {
        return complain_of_internal_error(options.topology, *violation);
    }
    return write_output(options.output, options.format == "json" ? schedule_json(*schedule, *synchronisation, edges)
                                                                 : schedule_table(*schedule, *synchronisation, edges));
}

/// "tree (merged, paper)" for every algorithm.
std::string algorithms_with_variants() {
    std::vector<std::string> entries;
    for (const Algorithm& algorithm : algorithms()) {
        entries.push_back(fmt::format("{} ({})", algorithm.name, fmt::join(algorithm.variants, ", ")));
    }
    return fmt::format("{}", fmt::join(entries, "; "));
}

std::string synchronisation_names() {
    std::vector<std::string_view> names;
    for (const SynchronisationEntry& entry : synchronisations()) {
        names.push_back(entry.name);
    }
    return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

void add_schedule_command(CLI::App& app, Context& context) {
    CLI::App* command = app.add_subcommand("schedule", "Print the phases of the all-to-all for a topology file");
    auto options = std::make_shared<ScheduleOptions>();
    command->add_option("FILE", options->topology, "topology file (docs/topology-files.md)")->required();
    command->add_option("--algorithm", options->algorithm,
                        fmt::format("algorithm, with its variants: {}", algorithms_with_variants()));
    command->add_option("--variant", options->variant, "variant of the algorithm; its first one if not given");
    command
        ->add_option("--synchronisation", options->synchronisation,
                     fmt::format("how phases are kept apart: {}", synchronisation_names()))
        ->capture_default_str();
    command
        ->add_option("--reduction", options->reduction,
                     "which synchronisations are left out: pair (by the pair rule), exact (all that others imply), "
                     "none")
        ->check(CLI::IsMember({"pair", "exact", "none"}))
        ->capture_default_str();
    command->add_option("--format", options->format, "table or json (docs/schedule-documents.md)")
        ->check(CLI::IsMember({"table", "json"}))
        ->capture_default_str();
    command->add_option("-o,--output", options->output, "file to write instead of standard output");
    command->callback([options, &context] { context.status = run(*options); });
}

}  // namespace aapc::cli
