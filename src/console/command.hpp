/// @file
/// What the subcommands of `aapc` share. Only programs speak: this directory prints and sets exit codes, the core does
/// neither.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "aapc/input/diagnostic.hpp"

namespace aapc::cli {

/// Exit codes (docs/commands.md).
inline constexpr int done = 0;
inline constexpr int check_failed = 1;
inline constexpr int bad_input = 2;

/// One run of the program.
struct Invocation {
    std::vector<std::string> arguments;  ///< argv as given, for stamps
    int status = done;                   ///< the subcommand's callback sets it
};

/// Prints `FILE:LINE:COLUMN: …` to standard error and returns bad_input.
int complain(const Diagnostic& diagnostic);

/// Writes `text` to `path` all or nothing (a temporary file beside it, then rename), or to standard output where `path`
/// is empty or "-". Returns done or bad_input with a complaint.
int write_output(const std::string& path, const std::string& text);

/// The whole of a file, or why not.
Expected<std::string> read_file(const std::string& path);

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
