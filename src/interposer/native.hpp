/// @file
/// What is behind an entry: each way into a program, the preloaded interposer and Open MPI's component, brings its own.
#pragma once

#include <mpi.h>

namespace aapc::interposer {

/// The routines that carry out what we pass through. They never lead back to us.
struct NativeRoutines {
    decltype(&MPI_Alltoall) alltoall;
    decltype(&MPI_Alltoallv) alltoallv;
    decltype(&MPI_Alltoallw) alltoallw;
#if AAPC_MPI_HAS_LARGE_COUNTS
    decltype(&MPI_Alltoall_c) alltoall_c;
    decltype(&MPI_Alltoallv_c) alltoallv_c;
    decltype(&MPI_Alltoallw_c) alltoallw_c;
#endif
};

[[nodiscard]] const NativeRoutines& native();

}  // namespace aapc::interposer
