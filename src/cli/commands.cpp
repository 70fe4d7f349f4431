// All subcommands of `aapc`.
#include <array>

#include "cli/command.hpp"
#include "cli/site_commands.hpp"
#include "cli/topology_command.hpp"

namespace aapc::cli {

std::span<const ListedCommand> commands() {
    static constexpr const char* network = "The network and its schedules";
    static constexpr const char* programs = "Programs, unmodified";
    static constexpr const char* measuring = "Measuring, and what was measured";
    static constexpr const char* this_program = "This program";
    static constexpr std::array all{
        ListedCommand{&add_importing_topology_command, network},
        ListedCommand{&add_discover_command, network},
        ListedCommand{&add_schedule_command, network},
        ListedCommand{&add_check_command, network},
        ListedCommand{&add_generate_command, network},
        ListedCommand{&add_exec_command, programs},
        ListedCommand{&add_explain_command, programs},
        ListedCommand{&add_doctor_command, measuring},
        ListedCommand{&add_bench_command, measuring},
        ListedCommand{&add_tune_command, measuring},
        ListedCommand{&add_export_command, measuring},
        ListedCommand{&add_fit_command, measuring},
        ListedCommand{&add_predict_command, measuring},
        ListedCommand{&add_report_command, measuring},
        ListedCommand{&add_settings_command, this_program},
        ListedCommand{&add_help_command, this_program},
        ListedCommand{&add_completion_command, this_program},
        ListedCommand{&add_manual_command, this_program},
    };
    return all;
}

const char* program_of_other_commands() { return nullptr; }

}  // namespace aapc::cli
