// `aapc discover`: the topology file that measuring comes to. It becomes the MPI program that measures.
#include "bench/discover_options.hpp"
#include "cli/launch.hpp"
#include "cli/site_commands.hpp"
#include "console/command_line.hpp"

namespace aapc::cli {

void add_discover_command(Command& program, Invocation& invocation) {
    add_measuring_command(program, invocation, "discover",
                          "Find the switches and the speeds of their links by measuring, and write a topology file",
                          {{"mpirun -n 16 aapc discover -o cluster.toml", "a rank on each of 16 machines"}},
                          bench::add_discover_options, becoming("discover", Interposition::none));
}

}  // namespace aapc::cli
