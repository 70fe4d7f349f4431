/// @file
/// The routines behind the preloaded interposer.
#pragma once

#include <mpi.h>

#include "interposer/behind.hpp"

namespace aapc::interposer {

/// find_next_address() of behind.hpp, with its type.
template <class Routine>
[[nodiscard]] Routine find_next(const char* profiling_name, const char* name) {
    return reinterpret_cast<Routine>(find_next_address(profiling_name, name));
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
