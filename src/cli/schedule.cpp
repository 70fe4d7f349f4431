#include "cli/command.hpp"

namespace aapc::cli {

void add_schedule_command(CLI::App&, Context&) {}

}  // namespace aapc::cli
