/// @file
/// Options that several programs which measure have in common. Knows no MPI.
#pragma once

#include <string>
#include <vector>

#include "console/command_line.hpp"

namespace aapc::bench {

/// `--topology`: a file, or detection, of which `topology` is the default.
void add_topology_option(cli::Command& command, std::string& topology);

/// `--mpi`: the MPI whose build of the program is started.
void add_mpi_option(cli::Command& command, std::string& mpi);

/// `--sizes`, as parse_sizes() reads them.
void add_sizes_option(cli::Command& command, std::vector<std::string>& sizes);

/// `--format`, one of `formats`, which `help` lists, and `--output`.
void add_output_options(cli::Command& command, std::string& format, const std::vector<std::string>& formats,
                        const std::string& help, std::string& output);

}  // namespace aapc::bench
