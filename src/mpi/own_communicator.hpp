/// @file
/// A communicator for our messages alone, so that they cannot meet the user's.
#pragma once

#include <mpi.h>

namespace aapc::mpi {

/// A communicator of the same ranks as `comm`, which returns errors. Not MPI_Comm_dup: it would run the copy callbacks
/// of the user's attributes. Collective; returns the MPI error code.
[[nodiscard]] int create_own(MPI_Comm comm, MPI_Comm& own);

/// Gives it back, collectively in MPI's sense; nothing for MPI_COMM_NULL and after MPI_Finalize.
void free_own(MPI_Comm own);

}  // namespace aapc::mpi
