/// @file
/// Which rank this process is, and of how many.
#pragma once

#include <mpi.h>

namespace aapc::mpi {

/// This process's rank in `communicator`.
[[nodiscard]] inline int rank_in(MPI_Comm communicator) {
    int rank = 0;
    PMPI_Comm_rank(communicator, &rank);
    return rank;
}

/// How many ranks `communicator` has.
[[nodiscard]] inline int ranks_in(MPI_Comm communicator) {
    int ranks = 0;
    PMPI_Comm_size(communicator, &ranks);
    return ranks;
}

}  // namespace aapc::mpi
