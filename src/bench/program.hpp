/// @file
/// What the MPI programs behind `aapc bench`, `aapc tune` and `aapc fit` have in common.
#pragma once

#include <mpi.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "aapc/topology/detection.hpp"
#include "bench/harness.hpp"
#include "console/command_line.hpp"

namespace aapc::bench {

/// As shells have it for SIGINT.
inline constexpr int ended_by_interruption = 130;

/// What a program does with its harness; returns the status, the same on all ranks.
using HarnessUser = std::function<int(std::unique_ptr<Harness>)>;

/// Parses the command line, which sets `topology` and whatever else `run` needs, and between MPI_Init and MPI_Finalize
/// reads the topology file and places the ranks of MPI_COMM_WORLD on it, or lets them find their places where it asks
/// for detection (that of rank 0 counts). Returns the status of `run`, to which the harness goes, or that of --help and
/// of wrong usage; where there is no harness to be had, rank 0 says why.
[[nodiscard]] int run_in_harness(cli::CommandLine& line, int argc, char** argv, const std::string& topology,
                                 const HarnessUser& run);

/// The same where the ranks find out which of them share a machine, for a class that is made of its options and the
/// harness and whose run() gives the status.
template <class Program, class Options>
[[nodiscard]] int run_where_found(const std::string& name, const std::string& summary,
                                  void (*add_options)(cli::Command&, Options&), int argc, char** argv) {
    Options options;
    cli::CommandLine line(summary, name);
    add_options(line, options);
    return run_in_harness(line, argc, argv, std::string(detection_word), [&options](std::unique_ptr<Harness> harness) {
        return Program(options, std::move(harness)).run();
    });
}

/// Rank 0's, on all ranks. Collective.
[[nodiscard]] int status_of_rank_0(MPI_Comm comm, int status);

/// Calls `program` and returns its status. What it throws, when memory is short or standard error has gone away, ends
/// the whole job after a line that begins with `name`.
[[nodiscard]] int end_job_on_exception(const char* name, int (*program)(int, char**), int argc, char** argv);

}  // namespace aapc::bench
