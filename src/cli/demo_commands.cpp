// What ./demo runs: as little as can be, since its user waits for it to be compiled.
#include <array>

#include "cli/command.hpp"

namespace aapc::cli {

std::span<const ListedCommand> commands() {
    static constexpr std::array all{
        ListedCommand{&add_topology_command, "Commands"},
        ListedCommand{&add_exec_command, "Commands"},
    };
    return all;
}

const char* program_of_other_commands() { return nullptr; }

}  // namespace aapc::cli
