/// @file
/// `aapc-simulate`: the executor on a simulated network (SimGrid's SMPI). docs/simulation.md.
#include <fmt/format.h>
#include <smpi/smpi.h>
#include <sys/resource.h>

#include <cstdio>
#include <exception>
#include <nlohmann/json.hpp>
#include <simgrid/s4u/Engine.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "aapc/topology/topology_file.hpp"
#include "console/command_line.hpp"
#include "console/output.hpp"
#include "experiment.hpp"
#include "options.hpp"
#include "platform.hpp"

namespace aapc::simulation {

namespace {

/// What keeps a simulation honest, with reasons in docs/simulation.md. --cfg= options of the command line come later
/// and win.
constexpr const char* settings[] = {
    "--log=root.thresh:warning",
    "--cfg=network/model:CM02",
    "--cfg=network/crosstraffic:no",
    "--cfg=network/TCP-gamma:0",
    "--cfg=surf/precision:1e-9",
    "--cfg=smpi/simulate-computation:no",
    "--cfg=smpi/send-is-detached-thresh:0",
    "--cfg=smpi/async-small-thresh:0",
    "--cfg=smpi/barrier:ompi_bruck",
    "--cfg=smpi/test:0",
    "--cfg=smpi/wtime:0",
};

bool is_for_simgrid(std::string_view word) { return word.starts_with("--cfg=") || word.starts_with("--log="); }

/// The engine takes its words from argv and keeps pointers to none of them.
std::vector<std::string> engine_words(const Options& options, double start_up_seconds, int argc, char** argv) {
    std::vector<std::string> words = {argv[0]};
    words.insert(words.end(), std::begin(settings), std::end(settings));
    words.push_back("--cfg=smpi/alltoall:" + options.native_algorithm);
    words.push_back(fmt::format("--cfg=smpi/ois:0:{}:0", start_up_seconds));
    for (int word = 1; word < argc; ++word) {
        if (is_for_simgrid(argv[word])) {
            words.emplace_back(argv[word]);
        }
    }
    return words;
}

double of_bound(const Experiment& experiment, const Sample& sample) {
    const double least = experiment.bound().seconds_per_byte * static_cast<double>(sample.block_bytes);
    return sample.seconds > 0 ? least / sample.seconds : 0;
}

std::string table(const Experiment& experiment) {
    std::string text = fmt::format("{:<32} {:>8} {:>14} {:>9} {:>10} {:>8}\n", "method", "bytes", "seconds", "of bound",
                                   "messages", "cpu s");
    for (const Sample& sample : experiment.samples()) {
        text += fmt::format("{:<32} {:>8} {:>14.6g} {:>9.3f} {:>10} {:>8.2f}\n",
                            to_string(experiment.plan().methods[sample.method]), sample.block_bytes, sample.seconds,
                            of_bound(experiment, sample), sample.messages, sample.processor_seconds);
    }
    return text;
}

std::string json(const Experiment& experiment, const Options& options) {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    nlohmann::ordered_json document = {
        {"format", "aapc-simulation/1"},
        {"topology", options.topology},
        {"ranks", experiment.ranks()},
        {"native_algorithm", options.native_algorithm},
        {"start_up", options.start_up},
        {"latency", options.latency},
        {"contention_loss", options.contention_loss},
        {"validated", !options.unchecked},
        {"bound_seconds_per_byte", experiment.bound().seconds_per_byte},
        {"processor_seconds", static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                                  1e-6 * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec)},
        {"memory_bytes", usage.ru_maxrss * 1024},
        {"samples", nlohmann::ordered_json::array()},
    };
    for (const Sample& sample : experiment.samples()) {
        document["samples"].push_back({{"method", to_string(experiment.plan().methods[sample.method])},
                                       {"bytes", sample.block_bytes},
                                       {"seconds", sample.seconds},
                                       {"of_bound", of_bound(experiment, sample)},
                                       {"messages", sample.messages},
                                       {"planned_messages", sample.planned_messages},
                                       {"processor_seconds", sample.processor_seconds}});
    }
    return document.dump(2) + "\n";
}

/// The simulation itself.
int simulate(const Options& options, int argc, char** argv) {
    const auto network = read_topology_file(options.topology);
    if (!network) {
        return cli::complain(network.error());
    }
    auto plan = parse_experiment(options, network->kind());
    const auto platform_options = parse_platform(options);
    const auto start_up = parse_start_up(options);
    if (!plan || !platform_options || !start_up) {
        return cli::complain(!plan ? plan.error() : !platform_options ? platform_options.error() : start_up.error());
    }
    const auto experiment = Experiment::create(*network, std::move(*plan));
    if (!experiment) {
        return cli::complain(experiment.error());
    }
    std::vector<std::string> words = engine_words(options, *start_up, argc, argv);
    std::vector<char*> arguments;
    arguments.reserve(words.size() + 1);
    for (std::string& word : words) {
        arguments.push_back(word.data());
    }
    arguments.push_back(nullptr);
    smpi_init_options();  // the engine has to know their names
    int count = static_cast<int>(words.size());
    simgrid::s4u::Engine engine(&count, arguments.data());
    const auto platform = Platform::create(*network, *platform_options);
    if (!platform) {
        return cli::complain(platform.error());
    }
    SMPI_init();
    SMPI_app_instance_register("aapc", nullptr, (*experiment)->ranks());
    (*experiment)->start_ranks(*platform);
    engine.run();
    SMPI_finalize();
    if (const auto& complaint = (*experiment)->complaint()) {
        cli::complain(*complaint);
        return cli::check_failed;
    }
    if (!(*experiment)->complete()) {
        cli::complain({.problem = "the simulation ended before its ranks did"});
        return cli::check_failed;
    }
    return cli::write_output(options.output,
                             options.format == "json" ? json(**experiment, options) : table(**experiment));
}

int run(int argc, char** argv) {
    cli::CommandLine command(
        "Runs all-to-all exchanges on a simulated network, with SimGrid's SMPI as the MPI. Options --cfg= and --log= "
        "go to SimGrid.",
        "aapc-simulate");
    Options options;
    add_options(command, options);
    std::vector<std::string> words;
    for (int word = 1; word < argc; ++word) {
        if (!is_for_simgrid(argv[word])) {
            words.emplace_back(argv[word]);
        }
    }
    if (const auto outcome = command.parse(words); !outcome.parsed) {
        return outcome.status;
    }
    return simulate(options, argc, argv);
}

}  // namespace

}  // namespace aapc::simulation

int main(int argc, char** argv) {
    try {
        return aapc::simulation::run(argc, argv);
    } catch (const std::exception& error) {  // no memory, or what SimGrid finds wrong
        std::fputs("aapc-simulate: ", stderr);
        std::fputs(error.what(), stderr);
        std::fputs("\n", stderr);
        return aapc::cli::bad_input;
    }
}
