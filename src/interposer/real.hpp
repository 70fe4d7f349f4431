/// @file
/// The routines behind the interposer.
#pragma once

#include <mpi.h>

namespace aapc::interposer {

/// The MPI's own routines: what the dynamic linker finds next after this library. The PMPI_ name is asked for, so that
/// a tool that wraps MPI_ names and calls PMPI_ ones is not entered a second time from below.
struct RealRoutines {
    decltype(&MPI_Init) init;
    decltype(&MPI_Init_thread) init_thread;
    decltype(&MPI_Alltoall) alltoall;
};

[[nodiscard]] const RealRoutines& real();

}  // namespace aapc::interposer
