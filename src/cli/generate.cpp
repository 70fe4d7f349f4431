#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "aapc/offline/generator.hpp"
#include "cli/command.hpp"
#include "cli/schedule_request.hpp"

namespace aapc::cli {

namespace {

struct GenerateOptions {
    ScheduleRequest request;
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

int run_generate(const GenerateOptions& options, const std::vector<std::string>& arguments) {
    const auto made = make_schedule(options.request);
    if (!made) {
        return made.error();
    }
    const std::string made_by = stamp(arguments);
    const Expected<std::string> routine = generate_routine(made->schedule, made->synchronisation, made->edges,
                                                           {made_by, made->worth_a_start_from_bytes, made->cadence});
    if (!routine) {
        return complain(routine.error());
    }
    return write_output(options.output, *routine);
}

}  // namespace

void add_generate_command(Command& program, Invocation& invocation) {
    Command command = program.subcommand(
        "generate", "Write a self-contained C routine for a topology file; it is for equal messages alone");
    auto options = std::make_shared<GenerateOptions>();
    add_schedule_options(command, options->request);
    command.option("-o,--output", options->output, "C file to write instead of standard output (docs/generator.md)")
        .type_name("FILE");
    command.example("aapc generate cluster.toml -o alltoall.c", "then: mpicc -c alltoall.c");
    command.on_run([options, &invocation] { invocation.status = run_generate(*options, invocation.arguments); });
}

}  // namespace aapc::cli
