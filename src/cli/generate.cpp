#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "aapc/algorithm.hpp"
#include "aapc/bound.hpp"
#include "aapc/generator.hpp"
#include "aapc/topology_file.hpp"
#include "cli/command.hpp"

namespace aapc::cli {

namespace {

struct GenerateOptions {
    std::string topology;
    std::string algorithm;
    std::string variant;
    std::string synchronisation = std::string(to_string(Synchronisation::timed));
    std::string output;
};

/// An argument as a shell would have to be given it.
std::string quoted(const std::string& argument) {
    constexpr std::string_view harmless = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_./:=,+@%";
    if (!argument.empty() && argument.find_first_not_of(harmless) == std::string::npos) {
        return argument;
    }
    std::string result = "'";
    for (const char character : argument) {
        result += character == '\'' ? "'\\''" : std::string(1, character);
    }
    return result + "'";
}

/// The command line that makes the same file again, wherever this program was called from.
std::string stamp(const std::vector<std::string>& arguments) {
    std::string line = "aapc";
    for (std::size_t index = 1; index < arguments.size(); ++index) {
        line += ' ' + quoted(arguments[index]);
    }
    return line;
}

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
                                    [&](const Algorithm& algorithm) { return algorithm.network == network.kind(); });
    if (found == algorithms().end()) {
        return failure({"", 0, 0,
                        fmt::format("there is no algorithm for networks of kind '{}'", to_string(network.kind())),
                        "give a topology of another kind"});
    }
    return &*found;
}

int run(const GenerateOptions& options, const std::vector<std::string>& arguments) {
    const Expected<Synchronisation> synchronisation = parse_synchronisation(options.synchronisation);
    if (!synchronisation) {
        return complain(synchronisation.error());
    }
    const Expected<Network> network = read_topology_file(options.topology);
    if (!network) {
        return complain(network.error());
    }
    const Expected<const Algorithm*> algorithm = chosen_algorithm(options.algorithm, *network);
    if (!algorithm) {
        return complain(algorithm.error());
    }
    const std::string variant(options.variant.empty() ? (*algorithm)->variants.front() : options.variant);
    const Demand demand = full_demand(*network);
    const Expected<std::unique_ptr<Timetable>> timetable = build_timetable(**algorithm, variant, *network, demand);
    if (!timetable) {
        return complain(timetable.error());
    }
    const Expected<Schedule, Violation> schedule = check_schedule(
        tabulate(**timetable, std::string((*algorithm)->name), variant, tree_bound(*network, demand).messages),
        *network, demand);
    if (!schedule) {
        return complain_of_internal_error(options.topology, schedule.error());
    }
    const std::vector<Edge> edges = synchronisation_edges(*schedule, *synchronisation, Reduction::pair_rule);
    if (const std::optional<Violation> violation = check_synchronisation(*schedule, *synchronisation, edges)) {
        return complain_of_internal_error(options.topology, *violation);
    }
    return write_output(options.output, generate_routine(*schedule, *synchronisation, edges, stamp(arguments)));
}

std::string synchronisation_names() {
    std::vector<std::string_view> names;
    for (const SynchronisationEntry& entry : synchronisations()) {
        names.push_back(entry.name);
    }
    return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

void add_generate_command(CLI::App& app, Context& context) {
    CLI::App* command = app.add_subcommand("generate", "Write a self-contained C routine for a topology file");
    auto options = std::make_shared<GenerateOptions>();
    command->add_option("FILE", options->topology, "topology file (docs/topology-files.md)")->required();
    command->add_option("--algorithm", options->algorithm,
                        "algorithm; the first one for this kind of network if not given");
    command->add_option("--variant", options->variant, "variant of the algorithm; its first one if not given");
    command
        ->add_option("--synchronisation", options->synchronisation,
                     fmt::format("how phases are kept apart: {}", synchronisation_names()))
        ->capture_default_str();
    command->add_option("-o,--output", options->output,
                        "C file to write instead of standard output (docs/generator.md)");
    command->callback([options, &context] { context.status = run(*options, context.arguments); });
}

}  // namespace aapc::cli
