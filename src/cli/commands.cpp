// All subcommands of `aapc`.
#include <array>

#include "cli/command.hpp"

namespace aapc::cli {

std::span<const AddCommand> commands() {
    static constexpr std::array all{
        &add_topology_command, &add_schedule_command, &add_check_command, &add_generate_command, &add_exec_command,
        &add_explain_command,  &add_bench_command,    &add_tune_command,  &add_fit_command,      &add_predict_command,
    };
    return all;
}

}  // namespace aapc::cli
