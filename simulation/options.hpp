/// @file
/// The options of `aapc-simulate`.
#pragma once

#include <string>
#include <vector>

#include "aapc/input/diagnostic.hpp"
#include "console/command_line.hpp"
#include "experiment.hpp"
#include "platform.hpp"

namespace aapc::simulation {

struct Options {
    std::string topology;
    std::vector<std::string> methods = {"native"};
    std::vector<std::string> sizes = {"8:64Ki:x8"};
    std::string native_algorithm = "basic_linear";
    std::string start_up = "0s";
    std::string latency = "0s";
    double contention_loss = 0;
    int repeats = 1;
    bool unchecked = false;
    std::string format = "table";
    std::string output;
};

void add_options(cli::Command& command, Options& options);

[[nodiscard]] Expected<ExperimentPlan> parse_experiment(const Options& options, NetworkKind kind);
[[nodiscard]] Expected<PlatformOptions> parse_platform(const Options& options);
/// Seconds.
[[nodiscard]] Expected<double> parse_start_up(const Options& options);

}  // namespace aapc::simulation
