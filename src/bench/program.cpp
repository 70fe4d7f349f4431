#include "bench/program.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <mpi.h>

#include <cstdio>
#include <exception>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/collective.hpp"
#include "bench/interruption.hpp"
#include "console/command_line.hpp"
#include "console/output.hpp"
#include "input/launch_environment.hpp"
#include "input/mpis.hpp"
#include "input/on_one_line.hpp"
#include "mpi/complaints.hpp"
#include "mpi/ranks.hpp"

namespace aapc::bench {

namespace {

int refuse(const Diagnostic& diagnostic) {
    return mpi::rank_in(MPI_COMM_WORLD) == 0 ? cli::complain(diagnostic) : cli::bad_input;
}

/// Collective. The status of `run` on all ranks, or that of the complaint that there is no harness.
int run_in_harness(const std::string& own_topology, const HarnessUser& run) {
    // What rank 0 was given counts: ranks whose environments differ must not go different ways.
    const std::string topology = shared_text(MPI_COMM_WORLD, own_topology);
    if (asks_for_detection(topology)) {
        auto detected = detected_network(MPI_COMM_WORLD, topology);
        return detected ? run(Harness::create(MPI_COMM_WORLD, detected->network, std::move(detected->placement)))
                        : refuse(detected.error());
    }
    const auto network = shared_topology(MPI_COMM_WORLD, topology);
    if (!network) {
        return refuse(network.error());
    }
    auto harness = Harness::create(MPI_COMM_WORLD, *network);
    if (!harness) {
        Diagnostic diagnostic = harness.error();
        diagnostic.file = topology;
        return refuse(diagnostic);
    }
    return run(std::move(*harness));
}

/// A launcher whose protocol this MPI does not speak starts as many jobs of one rank each. Only then, or where a job
/// was given several executables, does the launcher's number differ from the MPI's.
std::optional<Diagnostic> ranks_that_do_not_meet() {
    const Launch launch = launch_environment();
    if (mpi::ranks_in(MPI_COMM_WORLD) != 1 || launch.size.value_or(1) == 1) {
        return std::nullopt;
    }
    std::vector<std::string> under_srun;
    under_srun.reserve(std::size(known_mpis));
    for (const KnownMpi& mpi : known_mpis) {
        under_srun.push_back(fmt::format("{} needs --mpi={}", mpi.title, mpi.srun_mpi));
    }
    return Diagnostic{.file = "aapc",
                      .problem = fmt::format("{} has started {} processes, and each finds itself alone: this MPI does "
                                             "not understand that launcher",
                                             launch.name(), *launch.size),
                      .advice = fmt::format("start it with this MPI's own mpirun, or give the other one with --mpi {}; "
                                            "under srun, {}",
                                            known_mpi_names(), fmt::join(under_srun, " and "))};
}

}  // namespace

int run_in_harness(cli::CommandLine& line, int argc, char** argv, const std::string& topology, const HarnessUser& run) {
    if (const auto outcome = line.parse(argc, argv); !outcome.parsed) {
        return outcome.status;
    }
    MPI_Init(&argc, &argv);
    note_interruptions();
    int status = cli::bad_input;
    if (const auto alone = ranks_that_do_not_meet()) {
        if (launch_environment().speaks()) {
            cli::complain(*alone);
        }
    } else {
        status = run_in_harness(topology, run);
    }
    MPI_Finalize();
    return status;
}

int status_of_rank_0(MPI_Comm comm, int status) {
    mpi::broadcast(comm, &status, sizeof status, 0);
    return status;
}

int end_job_on_exception(const char* name, int (*program)(int, char**), int argc, char** argv) {
    try {
        return program(argc, argv);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s: %s\n", name, on_one_line(error.what()).c_str());
        int initialized = 0;
        MPI_Initialized(&initialized);
        if (initialized != 0) {
            MPI_Abort(MPI_COMM_WORLD, cli::bad_input);
        }
        return cli::bad_input;
    }
}

}  // namespace aapc::bench
