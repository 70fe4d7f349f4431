#include "cli/command.hpp"

namespace aapc::cli {

void add_exec_command(CLI::App&, Context&) {}

}  // namespace aapc::cli
