/// @file
/// Who the ranks of a communicator are.
#pragma once

#include <mpi.h>

#include <vector>

#include "aapc/topology/placement.hpp"

namespace aapc::interposer {

class Job;

/// Whether all `ranks` ranks of an intracommunicator are of our world. Takes no memory of ours: whether there are
/// others to agree with must not depend on that.
[[nodiscard]] bool is_of_world(MPI_Comm comm, int ranks, const Job& job);

/// Whether ranks of our world share a machine. Takes no memory of ours, either.
[[nodiscard]] bool share_a_machine(MPI_Comm comm, int ranks, const Job& job);

/// The ranks in our world of all ranks of a communicator that are of it. Throws std::bad_alloc.
[[nodiscard]] std::vector<Rank> world_ranks_of(MPI_Comm comm, int ranks, const Job& job);

}  // namespace aapc::interposer
