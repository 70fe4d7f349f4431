// What ./demo runs: as little as can be, since its user waits for it to be compiled.
#include <array>

#include "cli/command.hpp"

namespace aapc::cli {

std::span<const AddCommand> commands() {
    static constexpr std::array all{
        &add_topology_command,
        &add_exec_command,
    };
    return all;
}

}  // namespace aapc::cli
