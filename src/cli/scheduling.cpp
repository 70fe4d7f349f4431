#include "cli/scheduling.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "aapc/algorithm.hpp"
#include "aapc/bound.hpp"
#include "aapc/topology_file.hpp"
#include "cli/command.hpp"

namespace aapc::cli {

namespace {

/// A violation here is the program's own mistake, not the user's: the schedule was made by it.
int complain_of_internal_error(const std::string& topology, const Violation& violation) {
    complain({topology, 0, 0, fmt::format("internal error: the schedule made for it is wrong. {}", violation.what),
              "please report this with the topology file"});
    return check_failed;
}

Expected<const Algorithm*> chosen_algorithm(const std::string& name, const Network& network) {
    if (!name.empty()) {
        return find_algorithm(name);
    }
    const auto found = std::find_if(algorithms().begin(), algorithms().end(),
                                    [&](const Algorithm& algorithm) { return algorithm.is_for(network.kind()); });
    if (found == algorithms().end()) {
        return failure({"", 0, 0,
                        fmt::format("there is no algorithm for networks of kind '{}'", to_string(network.kind())),
                        "give a topology of another kind"});
    }
    return &*found;
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
        names.push_back(entry.form);
    }
    return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

void add_schedule_options(CLI::App& command, ScheduleRequest& request) {
    command.add_option("FILE", request.topology, "topology file (docs/topology-files.md)")->required();
    command.add_option("--algorithm", request.algorithm,
                       fmt::format("algorithm, with its variants: {}; the first one for this kind of network if not "
                                   "given",
                                   algorithms_with_variants()));
    command.add_option("--variant", request.variant, "variant of the algorithm; its first one if not given");
    command
        .add_option("--synchronisation", request.synchronisation,
                    fmt::format("how phases are kept apart: {}", synchronisation_names()))
        ->capture_default_str();
}

Expected<CheckedSchedule, int> make_schedule(const ScheduleRequest& request) {
    const auto refuse = [](const Diagnostic& diagnostic) { return tl::unexpected<int>(complain(diagnostic)); };
    const Expected<Synchronisation> synchronisation = parse_synchronisation(request.synchronisation);
    if (!synchronisation) {
        return refuse(synchronisation.error());
    }
    Expected<Network> read = read_topology_file(request.topology);
    if (!read) {
        return refuse(read.error());
    }
    auto network = std::make_unique<Network>(std::move(*read));
    const Expected<const Algorithm*> algorithm = chosen_algorithm(request.algorithm, *network);
    if (!algorithm) {
        return refuse(algorithm.error());
    }
    const std::string variant(request.variant.empty() ? (*algorithm)->variants.front() : request.variant);
    const Demand demand = full_demand(*network);
    const Expected<std::unique_ptr<Timetable>> timetable = build_timetable(**algorithm, variant, *network, demand);
    if (!timetable) {
        return refuse(timetable.error());
    }
    ScheduleDraft draft =
        tabulate(**timetable, std::string((*algorithm)->name), variant, tree_bound(*network, demand).messages);
    Expected<Schedule, Violation> schedule = check_schedule(std::move(draft), *network, demand);
    if (!schedule) {
        return tl::unexpected<int>(complain_of_internal_error(request.topology, schedule.error()));
    }
    std::vector<Edge> edges = synchronisation_edges(*schedule, *synchronisation, request.reduction);
    if (const std::optional<Violation> violation = check_synchronisation(*schedule, *synchronisation, edges)) {
        return tl::unexpected<int>(complain_of_internal_error(request.topology, *violation));
    }
    return CheckedSchedule{std::move(network), std::move(*schedule), *synchronisation, std::move(edges)};
}

}  // namespace aapc::cli
