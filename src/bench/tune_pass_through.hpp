/// @file
/// What the interposer itself costs for a call that it passes through to the MPI.
#pragma once

#include <mpi.h>

#include <string>

namespace aapc::bench {

/// Collective. Measures MPI_Alltoall as a program calls it against the native routine, alternately, on communicators of
/// one and of two ranks. Returns a line for each on rank 0, or the reason if it cannot be measured.
[[nodiscard]] std::string pass_through_report(MPI_Comm comm);

}  // namespace aapc::bench
