#include "bench/tune_options.hpp"

#include <CLI/CLI.hpp>

#include "console/finite_number.hpp"

namespace aapc::bench {

void add_tune_options(CLI::App& command, TuneOptions& options) {
    command
        .add_option("--topology", options.topology,
                    "topology file (docs/topology-files.md), or detect[:SPEED]: the ranks find out which of them share "
                    "a machine, and nothing else is known")
        ->type_name("FILE")
        ->envname("AAPC_TOPOLOGY")
        ->capture_default_str();
    command.add_option("-o,--output", options.output, "tuning file to write (docs/tuning.md)")
        ->type_name("FILE")
        ->capture_default_str();
    command
        .add_option("--sizes", options.sizes,
                    "bytes from each rank to each: sizes such as 8Ki, and ranges such as 1:1Mi:x4")
        ->delimiter(',')
        ->type_name("SIZE,...")
        ->capture_default_str();
    command.add_option("--minutes", options.minutes, "time for all of it")
        ->check(cli::positive_number())
        ->capture_default_str();
    command
        .add_option("--state", options.state,
                    "where an interrupted search is kept, to go on from there the next time (default: OUTPUT.state)")
        ->type_name("FILE");
    command
        .add_option("--model", options.models,
                    "what aapc fit wrote for this network: where the time does not reach for all methods, those that "
                    "it predicts to be fast come first; measuring decides")
        ->delimiter(',')
        ->type_name("FILE,...");
    command.add_flag("--restart", options.restart, "begin anew, whatever the state file holds");
}

}  // namespace aapc::bench
