/// @file
/// What the MPI programs behind `aapc bench` and `aapc tune` have in common.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "bench/harness.hpp"
#include "console/command_line.hpp"

namespace aapc::bench {

/// As shells have it for SIGINT.
inline constexpr int ended_by_interruption = 130;

/// Parses the command line and calls `run` between MPI_Init and MPI_Finalize. Returns its status, or that of --help and
/// of wrong usage.
[[nodiscard]] int run_under_mpi(cli::CommandLine& line, int argc, char** argv, const std::function<int()>& run);

/// Collective. Reads the topology file and places the ranks of MPI_COMM_WORLD on it, or lets them find their places
/// where it asks for detection (`topology`: that of rank 0 counts). Returns the status of `run`, to
/// which the harness goes, on all ranks; where there is no harness to be had, rank 0 says why.
[[nodiscard]] int run_in_arena(const std::string& topology, const std::function<int(std::unique_ptr<Harness>)>& run);

/// Calls `program` and returns its status. What it throws, when memory is short or standard error has gone away, ends
/// the whole job after a line that begins with `name`.
[[nodiscard]] int end_job_on_exception(const char* name, int (*program)(int, char**), int argc, char** argv);

}  // namespace aapc::bench
