// `aapc tune`: checks its options without any MPI, and becomes the program that measures.
#include "bench/bench_options.hpp"
#include "bench/tune_options.hpp"
#include "cli/launch.hpp"
#include "console/command_line.hpp"

namespace aapc::cli {

namespace {

int run_tune(const bench::TuneOptions& options, const Invocation& invocation) {
    if (const auto sizes = bench::parse_sizes(options.sizes); !sizes) {
        Diagnostic diagnostic = sizes.error();
        diagnostic.file = "--sizes";
        return speaks() ? complain(diagnostic) : bad_input;
    }
    // The interposer goes along so that its own cost can be measured; it passes everything else through.
    MpiProgram program = program_behind("tune", invocation, options.mpi, Interposition::preloaded);
    program.environment = {{"AAPC_TOPOLOGY", topology_for_ranks(options.topology)}};
    return run_mpi_program(invocation, program);
}

}  // namespace

void add_tune_command(Command& program, Invocation& invocation) {
    add_measuring_command(program, invocation, "tune", "Find the fastest method for each message size on this cluster",
                          {{"mpirun -n 16 aapc tune --topology cluster.toml -o tuning.toml", "takes 12 minutes"},
                           {"mpirun -n 16 aapc exec --tuning tuning.toml -- ./app", "what it is for"}},
                          bench::add_tune_options, run_tune);
}

}  // namespace aapc::cli
