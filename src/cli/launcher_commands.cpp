// What `aapc` itself does: `aapc exec`, which has to start on every node, with as few libraries as can be.
#include <array>

#include "cli/command.hpp"

namespace aapc::cli {

std::span<const ListedCommand> commands() {
    static constexpr std::array all{ListedCommand{&add_exec_command, "Commands"}};
    return all;
}

const char* program_of_other_commands() { return "aapc-commands"; }

}  // namespace aapc::cli
