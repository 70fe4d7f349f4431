/// @file
/// One call of MPI_Alltoallv or MPI_Alltoallw.
#pragma once

#include <mpi.h>

#include <cstddef>

namespace aapc::interposer {

/// One side of the arguments, as the program gave them.
struct UnequalSide {
    const void* buffer;
    const int* counts;
    const int* displacements;
    MPI_Datatype type;          ///< of all messages; displacements count its extents
    const MPI_Datatype* types;  ///< where not null: one for each message; displacements are bytes

    [[nodiscard]] MPI_Datatype type_of(std::size_t peer) const { return types != nullptr ? types[peer] : type; }
};

struct UnequalCall {
    UnequalSide send;
    UnequalSide receive;
    MPI_Comm comm;

    [[nodiscard]] bool in_place() const { return send.buffer == MPI_IN_PLACE; }
};

}  // namespace aapc::interposer
