#include "cli/command.hpp"

namespace aapc::cli {

void add_generate_command(CLI::App&, Context&) {}

}  // namespace aapc::cli
