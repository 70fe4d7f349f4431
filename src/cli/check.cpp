#include "cli/command.hpp"

namespace aapc::cli {

void add_check_command(CLI::App&, Context&) {}

}  // namespace aapc::cli
