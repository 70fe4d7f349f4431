/// @file
/// The topology file that a command is given, which all commands take in the same ways.
#pragma once

#include <string>

#include "aapc/topology/topology_file.hpp"
#include "console/command_line.hpp"

namespace aapc::cli {

/// Adds the topology file to a command: a word at its place, which the help calls `place`, or --topology, or else
/// AAPC_TOPOLOGY. It must be given in one of these ways.
void add_topology_argument(Command& command, const std::string& place, std::string& topology);

/// The network of a topology file, of standard input for "-".
[[nodiscard]] Expected<Network> read_network(const std::string& topology);

}  // namespace aapc::cli
