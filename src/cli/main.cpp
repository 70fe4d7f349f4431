#include <chrono>
#include <cstdio>
#include <exception>
#include <new>
#include <string_view>
#include <thread>

#include "cli/command.hpp"
#include "cli/launch.hpp"
#include "console/command_line.hpp"
#include "input/launch_environment.hpp"
#include "input/version.hpp"

namespace {

int run_main(int argc, char** argv) {
    using namespace aapc::cli;
    Invocation invocation{{argv, argv + argc}, done};
    const char* const other = program_of_other_commands();
    if (other != nullptr && (argc < 2 || std::string_view(argv[1]) != "exec")) {
        return become_own_program(other, argv);
    }
    CommandLine line("Topology-aware all-to-all for MPI clusters: schedules for the wires you have.", "aapc");
    line.version("aapc " + std::string(aapc::version()));
    line.require_subcommand();
    line.example("aapc topology cluster.toml", "what the network is, and its bound");
    line.example("mpirun -n 16 aapc exec --topology cluster.toml -- ./app", "a program, unmodified, on that network");
    line.example("mpirun -n 16 aapc bench --topology cluster.toml", "whether it is faster");
    for (const auto& [add, group] : commands()) {
        line.group(group);
        add(line, invocation);
    }
    const CommandLine::Outcome outcome = line.parse(argc, argv, speaks());
    return outcome.parsed ? invocation.status : outcome.status;
}

/// Lets a complaint reach the launcher before it hears of the failure. Open MPI's ends a job at the first process that
/// fails, so one that says nothing fails later than the one that speaks for all. MPICH's Hydra loses what a process
/// says immediately before it fails: one time in 40 on a busy machine.
int after_the_complaint(int status) {
    using namespace std::chrono_literals;
    if (status != aapc::cli::done && aapc::launch_environment().start_up != aapc::StartUp::none) {
        std::this_thread::sleep_for(aapc::cli::speaks() ? 100ms : 2000ms);
    }
    return status;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return after_the_complaint(run_main(argc, argv));
    } catch (const std::bad_alloc&) {
        std::fputs("aapc: there is not enough memory\n", stderr);
        return aapc::cli::bad_input;
    } catch (const std::exception& error) {  // a terminal that went away
        return aapc::cli::complain({.file = "aapc", .problem = error.what()});
    }
}
