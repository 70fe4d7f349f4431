/// @file
/// The subcommands of `aapc`.
#pragma once

#include <string>
#include <vector>

#include "console/output.hpp"

namespace CLI {
class App;
}

namespace aapc::cli {

/// One run of the program.
struct Invocation {
    std::vector<std::string> arguments;  ///< argv as given, for stamps
    int status = done;                   ///< the subcommand's callback sets it
};

void add_topology_command(CLI::App& app, Invocation& invocation);
void add_schedule_command(CLI::App& app, Invocation& invocation);
void add_check_command(CLI::App& app, Invocation& invocation);
void add_generate_command(CLI::App& app, Invocation& invocation);
void add_exec_command(CLI::App& app, Invocation& invocation);
void add_explain_command(CLI::App& app, Invocation& invocation);
void add_bench_command(CLI::App& app, Invocation& invocation);
void add_tune_command(CLI::App& app, Invocation& invocation);
void add_fit_command(CLI::App& app, Invocation& invocation);
void add_predict_command(CLI::App& app, Invocation& invocation);

}  // namespace aapc::cli
