/// @file
/// What `aapc exec` and the subcommands that are MPI programs know about launchers, and how they become the program
/// that they start.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/command.hpp"

namespace aapc::cli {

// As shells have it.
inline constexpr int program_not_found = 127;
inline constexpr int program_not_runnable = 126;

/// The parts of `text` between any of `separators`.
[[nodiscard]] std::vector<std::string> split(std::string_view text, std::string_view separators);

/// One process of a job speaks for all: whether it is this one.
[[nodiscard]] bool speaks();

/// Where libraries of this installation may be: $AAPC_LIBRARY_PATH, then where they are built or installed relative to
/// this program.
[[nodiscard]] std::vector<std::filesystem::path> library_directories();

/// The first library of that name; empty if there is none.
[[nodiscard]] std::filesystem::path find_library(const std::string& name);

/// Where the system can tell; otherwise the path as it is, for a message from the code that opens it.
[[nodiscard]] std::filesystem::path absolute_path(const std::filesystem::path& path);

/// What AAPC_TOPOLOGY is to be for a --topology: the file's absolute name, since the rank that reads it may start in
/// another directory than this; as it is where it asks for detection. Standard input is refused (UsageError).
[[nodiscard]] std::string topology_for_ranks(const std::string& topology);

/// Puts a library before those that the programs started from here preload already.
void preload(const std::filesystem::path& library);

/// Becomes the program command[0], looked for as execvp() does. Returns only if that fails: complains and gives the
/// status.
[[nodiscard]] int become(std::vector<std::string> command);

/// Becomes the program `name` of this installation, with all of these arguments. Returns only if that fails: complains
/// and gives the status.
[[nodiscard]] int become_own_program(const std::string& name, char** arguments);

/// Whether libaapc-<mpi>.so goes before the MPI program.
enum class Interposition : std::uint8_t { none, preloaded };

/// What an MPI program of this installation is to be started with.
struct MpiProgram {
    std::string name;  ///< "aapc-bench"
    std::string mpi;   ///< as the user named it; empty for the launcher's
    std::vector<std::string> arguments;
    std::vector<std::pair<std::string, std::string>> environment;  ///< name, value; in addition to what is there
    Interposition interposition = Interposition::none;
};

/// Becomes `name`-<mpi>, built for the MPI that the user named, or for one that understands the launcher which started
/// this process. Returns only if that is not possible, with the status; one process of the job has said why.
[[nodiscard]] int run_mpi_program(const Invocation& invocation, const MpiProgram& program);

/// The program behind `aapc COMMAND`, with the words that were given to that.
[[nodiscard]] MpiProgram program_behind(const std::string& command, const Invocation& invocation,
                                        const std::string& mpi, Interposition interposition);

/// Adds the subcommand `name`, which becomes an MPI program; its options are those of that program. `run`
/// gives the status for options and invocation.
template <class Options, class Run>
void add_measuring_command(Command& program, Invocation& invocation, const std::string& name, const std::string& help,
                           const std::vector<ExampleText>& examples, void (*add_options)(Command&, Options&),
                           const Run& run) {
    Command command = program.subcommand(name, help);
    const auto options = std::make_shared<Options>();
    add_options(command, *options);
    for (const ExampleText& example : examples) {
        command.example(example.command, example.meaning);
    }
    command.on_run([options, run, &invocation] { invocation.status = run(*options, invocation); });
}

/// The `run` of a subcommand that becomes its program whatever the options say.
[[nodiscard]] inline auto becoming(const std::string& command, Interposition interposition) {
    return [command, interposition](const auto& options, const Invocation& invocation) {
        return run_mpi_program(invocation, program_behind(command, invocation, options.mpi, interposition));
    };
}

/// The words behind the subcommand's name, as they were given.
[[nodiscard]] std::vector<std::string> arguments_of(const Invocation& invocation, std::string_view subcommand);

}  // namespace aapc::cli
