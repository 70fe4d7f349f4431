#include "bench/tune_options.hpp"

#include <fmt/format.h>

#include "aapc/topology/patterns.hpp"
#include "bench/common_options.hpp"

namespace aapc::bench {

void add_tune_options(cli::Command& command, TuneOptions& options) {
    add_topology_option(command, options.topology);
    command.option("-o,--output", options.output, "tuning file to write (docs/tuning.md)")
        .type_name("FILE")
        .show_default();
    add_sizes_option(command, options.sizes);
    command.option("--minutes", options.minutes, "time for all of it").duration(60).positive().show_default();
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
    command
        .option("--pattern", options.pattern,
                fmt::format("unequal messages (MPI_Alltoallv), of these sizes on average: {}", pattern_names()))
        .type_name("NAME");
    command.option("--seed", options.seed, "of what the pattern draws").non_negative().show_default();
    add_mpi_option(command, options.mpi);
    command.flag("--restart", options.restart, "begin anew, whatever the state file holds");
}

}  // namespace aapc::bench
