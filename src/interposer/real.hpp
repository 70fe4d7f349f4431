/// @file
/// The routines behind the preloaded interposer.
#pragma once

#include <dlfcn.h>
#include <mpi.h>

namespace aapc::interposer {

/// Where to look for what is behind this library, for dlsym(): RTLD_NEXT. Where libaapc-late.so is in the process, it
/// may be what comes next and would lead back here, or it has loaded this library, which is then in nobody's order; so
/// it is the MPI that this library is linked to.
[[nodiscard]] void* behind();

/// What the dynamic linker finds next after this library. The PMPI_ name is asked for, so that a tool that wraps MPI_
/// names and calls PMPI_ ones is not entered a second time from below. The interposer of the standard ABI, which leaves
/// the PMPI_ names alone, asks for the MPI_ name: tools that were preloaded after it see the call.
template <class Routine>
[[nodiscard]] Routine find_next(const char* profiling_name, const char* name) {
    const char* const first = AAPC_STANDARD_ABI ? name : profiling_name;
    const char* const second = AAPC_STANDARD_ABI ? profiling_name : name;
    void* const address = dlsym(behind(), first);
    return reinterpret_cast<Routine>(address != nullptr ? address : dlsym(behind(), second));
}

/// Those that the interposer does something about, all-to-alls aside (native.hpp).
struct RealRoutines {
    decltype(&MPI_Init) init;
    decltype(&MPI_Init_thread) init_thread;
    decltype(&MPI_Finalize) finalize;
    decltype(&MPI_Comm_free) comm_free;
    decltype(&MPI_Comm_disconnect) comm_disconnect;
    decltype(&MPI_Wait) wait;
    decltype(&MPI_Waitall) waitall;
    decltype(&MPI_Start) start;
    decltype(&MPI_Startall) startall;
    decltype(&MPI_Request_free) request_free;
};

[[nodiscard]] const RealRoutines& real();

}  // namespace aapc::interposer
