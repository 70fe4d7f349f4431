#include "bench/tune_options.hpp"

#include "console/command_line.hpp"

namespace aapc::bench {

void add_tune_options(cli::Command& command, TuneOptions& options) {
    command
        .option("--topology", options.topology,
                "topology file (docs/topology-files.md), or detect[:SPEED]: the ranks find out which of them share "
                "a machine, and nothing else is known")
        .type_name("FILE")
        .from_environment("AAPC_TOPOLOGY")
        .show_default();
    command.option("-o,--output", options.output, "tuning file to write (docs/tuning.md)")
        .type_name("FILE")
        .show_default();
    command
        .option("--sizes", options.sizes,
                "bytes from each rank to each: sizes such as 8Ki, and ranges such as 1:1Mi:x4")
        .separated_by(',')
        .type_name("SIZE,...")
        .show_default();
    command.option("--minutes", options.minutes, "time for all of it").positive().show_default();
    command
        .option("--state", options.state,
                "where an interrupted search is kept, to go on from there the next time (default: OUTPUT.state)")
        .type_name("FILE");
    command
        .option("--model", options.models,
                "what aapc fit wrote for this network: where the time does not reach for all methods, those that "
                "it predicts to be fast come first; measuring decides")
        .separated_by(',')
        .type_name("FILE,...");
    command.flag("--restart", options.restart, "begin anew, whatever the state file holds");
}

}  // namespace aapc::bench
