/// @file
/// What the interposer itself costs for a call that it passes through to the MPI.
#pragma once

#include <mpi.h>

#include <string>

namespace aapc::bench {

/// Collective. Measures MPI_Alltoall as a program calls it against the MPI's own routine, in turns, on communicators of
/// one and of two ranks, and says what it found in a line each; on rank 0. Says so where it cannot be measured.
[[nodiscard]] std::string pass_through_report(MPI_Comm comm);

}  // namespace aapc::bench
