/// @file
/// The subcommands that look at a cluster as it is.
#pragma once

#include "cli/command.hpp"

namespace aapc::cli {

void add_discover_command(Command& program, Invocation& invocation);
void add_doctor_command(Command& program, Invocation& invocation);

}  // namespace aapc::cli
