#include "contest/tune_options.hpp"

namespace aapc::contest {

void add_tune_options(CLI::App& command, TuneOptions& options) {
    command.add_option("--topology", options.topology, "Topology file of the cluster")->required()->type_name("FILE");
    command.add_option("-o,--output", options.output, "Tuning file to write")->type_name("FILE")->capture_default_str();
    command
        .add_option("--sizes", options.sizes, "Bytes of a block: sizes and ranges FROM:TO:xFACTOR, separated by commas")
        ->delimiter(',')
        ->type_name("SIZES")
        ->capture_default_str();
    command.add_option("--minutes", options.minutes, "Time for all of it")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    command
        .add_option("--state", options.state,
                    "Where an interrupted search is kept, to go on from there the next time (default: OUTPUT.state)")
        ->type_name("FILE");
    command.add_flag("--restart", options.restart, "Begin anew, whatever the state file holds");
}

}  // namespace aapc::contest
