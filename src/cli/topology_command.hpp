/// @file
/// `aapc topology`, to which the full program adds what ./demo has no use for.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "cli/command.hpp"

namespace aapc::cli {

/// What is done with the file instead of describing it; the status, or nothing where it is to be described.
using TopologyInstead = std::function<std::optional<int>(const std::string& file)>;

/// Adds the command, and returns it for further options; `instead` may be empty.
Command add_topology(Command& program, Invocation& invocation, const TopologyInstead& instead);

/// The command with --from, which writes a topology file from what other tools know.
void add_importing_topology_command(Command& program, Invocation& invocation);

}  // namespace aapc::cli
