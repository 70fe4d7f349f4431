// `aapc bench`: checks its options without any MPI, and becomes the program that measures.
#include <algorithm>

#include "bench/bench_options.hpp"
#include "cli/launch.hpp"
#include "console/command_line.hpp"

namespace aapc::cli {

namespace {

int run_bench(const bench::BenchOptions& options, const Invocation& invocation) {
    const auto& candidates = options.candidates;
    const bool interposed = std::find(candidates.begin(), candidates.end(), bench::interposed) != candidates.end();
    MpiProgram program =
        program_behind("bench", invocation, options.mpi, interposed ? Interposition::preloaded : Interposition::none);
    program.environment = {{"AAPC_TOPOLOGY", topology_for_ranks(options.topology)}};
    return run_mpi_program(invocation, program);
}

}  // namespace

void add_bench_command(Command& program, Invocation& invocation) {
    add_measuring_command(program, invocation, "bench",
                          "Measure ways of doing an all-to-all against each other, in turns",
                          {{"mpirun -n 16 aapc bench --topology cluster.toml", "every algorithm for this network"},
                           {"mpirun -n 16 aapc bench --candidates native,interposed --sizes 1:1M:x4",
                            "the MPI's own against what a program would get, by AAPC_TOPOLOGY and AAPC_TUNING"}},
                          bench::add_bench_options, run_bench);
}

}  // namespace aapc::cli
