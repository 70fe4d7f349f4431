// `aapc doctor`: what is wrong with a cluster. It becomes the MPI program that looks.
#include "bench/doctor_report.hpp"
#include "cli/launch.hpp"
#include "cli/site_commands.hpp"
#include "console/command_line.hpp"

namespace aapc::cli {

void add_doctor_command(Command& program, Invocation& invocation) {
    add_measuring_command(program, invocation, "doctor",
                          "Look at the machines, clocks and links of a job, and say what to do about them",
                          {{"mpirun -n 16 aapc doctor --topology cluster.toml", "a line for each check"}},
                          bench::add_doctor_options, becoming("doctor", Interposition::preloaded));
}

}  // namespace aapc::cli
