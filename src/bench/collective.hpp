/// @file
/// What the programs that measure all ranks do together besides exchanging. Everything here waits patiently: ranks may
/// outnumber cores, and a rank that spins in a barrier slows down those that are still at work.
#pragma once

#include <mpi.h>

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "aapc/input/diagnostic.hpp"
#include "aapc/topology/detection.hpp"
#include "aapc/topology/network.hpp"
#include "mpi/complaints.hpp"

namespace aapc::bench {

/// Ranks may be in different libraries' hands before and after: this one's calls cannot fail in a way that could be
/// reported, and end the program by the communicator's error handler if they do.
void barrier(MPI_Comm comm);

/// Replaces each value by the largest of all ranks. Equally many on all ranks.
void maximise(MPI_Comm comm, std::span<double> values);

/// Rank 0's text on all ranks.
[[nodiscard]] std::string shared_text(MPI_Comm comm, const std::string& text_of_rank_0);

using mpi::first_complaint;

/// The topology file as rank 0 reads it, on all ranks; or on all ranks why there is none.
[[nodiscard]] Expected<Network> shared_topology(MPI_Comm comm, const std::string& path);

/// The network as the ranks detect it, with their places on it. `setting`, the same on all ranks, asks for detection;
/// the diagnostic has it as its file.
[[nodiscard]] Expected<DetectedNetwork> detected_network(MPI_Comm comm, const std::string& setting);

/// The name of each rank's host, AAPC_HOSTNAME honoured, on all ranks.
[[nodiscard]] std::vector<std::string> host_names(MPI_Comm comm);

}  // namespace aapc::bench
