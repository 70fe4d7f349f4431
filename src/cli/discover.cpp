// `aapc discover`: the topology file that measuring comes to. It becomes the MPI program that measures.
#include "bench/discover_options.hpp"
#include "cli/launch.hpp"
#include "cli/site_commands.hpp"
#include "console/command_line.hpp"

namespace aapc::cli {

namespace {

int become_discover(const bench::DiscoverOptions& options, const Invocation& invocation) {
    return run_mpi_program(invocation, program_behind("discover", invocation, options.mpi, Interposition::none));
}

}  // namespace

void add_discover_command(Command& program, Invocation& invocation) {
    add_measuring_command(program, invocation, "discover",
                          "Find the switches and the speeds of their links by measuring, and write a topology file",
                          {{"mpirun -n 16 aapc discover -o cluster.toml", "a rank on each of 16 machines"}},
                          bench::add_discover_options, become_discover);
}

}  // namespace aapc::cli
