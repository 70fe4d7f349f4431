#include "cli/command.hpp"

namespace aapc::cli {

void add_topology_command(CLI::App&, Context&) {}

}  // namespace aapc::cli
