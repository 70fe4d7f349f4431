/// @file
/// The subcommands of `aapc`.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "console/command_line.hpp"
#include "console/output.hpp"

namespace aapc::cli {

/// One run of the program.
struct Invocation {
    std::vector<std::string> arguments;  ///< argv as given, for stamps
    int status = done;                   ///< the subcommand's callback sets it
};

/// Adds a subcommand to the program's command line; the invocation outlives it.
using AddCommand = void (*)(Command& program, Invocation& invocation);

/// A subcommand, and what it is listed under in the help.
struct ListedCommand {
    AddCommand add;
    const char* group;
};

/// The subcommands of this program, in the order of the help. `aapc` has `exec` alone (launcher_commands.cpp),
/// `aapc-commands` all of them (commands.cpp), and the program that ./demo builds those that it runs
/// (demo_commands.cpp).
[[nodiscard]] std::span<const ListedCommand> commands();

/// The program of this installation that has the subcommands which this one lacks; null if it has all.
[[nodiscard]] const char* program_of_other_commands();

void add_topology_command(Command& program, Invocation& invocation);
void add_schedule_command(Command& program, Invocation& invocation);
void add_check_command(Command& program, Invocation& invocation);
void add_generate_command(Command& program, Invocation& invocation);
void add_exec_command(Command& program, Invocation& invocation);
void add_explain_command(Command& program, Invocation& invocation);
void add_bench_command(Command& program, Invocation& invocation);
void add_export_command(Command& program, Invocation& invocation);
void add_tune_command(Command& program, Invocation& invocation);
void add_fit_command(Command& program, Invocation& invocation);
void add_predict_command(Command& program, Invocation& invocation);
void add_report_command(Command& program, Invocation& invocation);
void add_settings_command(Command& program, Invocation& invocation);
void add_help_command(Command& program, Invocation& invocation);
void add_completion_command(Command& program, Invocation& invocation);
void add_manual_command(Command& program, Invocation& invocation);

}  // namespace aapc::cli
