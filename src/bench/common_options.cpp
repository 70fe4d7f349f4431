#include "bench/common_options.hpp"

#include <fmt/format.h>

#include "input/mpis.hpp"

namespace aapc::bench {

void add_topology_option(cli::Command& command, std::string& topology) {
    command
        .option("FILE,--topology", topology,
                "topology file (docs/topology-files.md), or detect[:SPEED]: the ranks find out which of them share "
                "a machine, and nothing else is known")
        .type_name("FILE")
        .from_environment("AAPC_TOPOLOGY")
        .show_default();
}

void add_mpi_option(cli::Command& command, std::string& mpi) {
    command
        .option(
            "--mpi", mpi,
            fmt::format("the MPI to measure with: {} (default: the one that the launcher is for)", known_mpi_names()))
        .type_name("NAME");
}

void add_sizes_option(cli::Command& command, std::vector<std::string>& sizes) {
    command.option("--sizes", sizes, "bytes from each rank to each: sizes such as 8Ki, and ranges such as 1:1Mi:x4")
        .type_name("SIZE,...")
        .separated_by(',')
        .show_default();
}

void add_output_options(cli::Command& command, std::string& format, const std::vector<std::string>& formats,
                        const std::string& help, std::string& output) {
    command.option("--format", format, help).one_of(formats).show_default();
    command.option("-o,--output", output, "file to write instead of standard output").type_name("FILE");
}

}  // namespace aapc::bench
