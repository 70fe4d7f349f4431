/// @file
/// One call of MPI_Alltoall or of its large-count form, read once.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <limits>

#include "interposer/routines.hpp"

namespace aapc::interposer {

/// MPI_Alltoall's arguments as the program gave them, and what follows from them.
struct Call {
    const void* send_buffer;
    std::int64_t send_count;
    MPI_Datatype send_type;
    void* receive_buffer;
    std::int64_t receive_count;
    MPI_Datatype receive_type;
    MPI_Comm comm;
    Routine routine = Routine::Alltoall;

    /// Bytes of data in a block, gaps not counted; -1: the arguments are not beyond complaint, and the MPI's to judge.
    std::int64_t block_bytes = -1;
    /// Blocks that are sent have another number of bytes than those that are received. The standard forbids that.
    bool unequal = false;

    [[nodiscard]] bool in_place() const { return send_buffer == MPI_IN_PLACE; }
    [[nodiscard]] bool well_formed() const { return block_bytes >= 0; }
    /// Whether both blocks are described by the same words.
    [[nodiscard]] bool sends_what_it_receives() const {
        return in_place() || (send_type == receive_type && send_count == receive_count);
    }
};

/// Bytes of data in `count` elements of `type`, gaps not counted; the largest number where there are more.
[[nodiscard]] inline std::int64_t data_bytes(std::int64_t count, MPI_Datatype type) {
    MPI_Count size = 0;
    PMPI_Type_size_x(type, &size);
    std::int64_t bytes = 0;
    return __builtin_mul_overflow(static_cast<std::int64_t>(size), count, &bytes)
               ? std::numeric_limits<std::int64_t>::max()
               : bytes;
}

/// Fills in what follows from the arguments. Local; asks MPI for the size of a datatype, of two where they differ.
/// Inline, because every call that is passed through pays for it.
inline void read_arguments(Call& call) {
    if (call.comm == MPI_COMM_NULL || call.receive_count < 0 || call.receive_type == MPI_DATATYPE_NULL) {
        return;
    }
    if (!call.in_place() && (call.send_count < 0 || call.send_type == MPI_DATATYPE_NULL)) {
        return;
    }
    const std::int64_t bytes = data_bytes(call.receive_count, call.receive_type);
    if (call.sends_what_it_receives() || data_bytes(call.send_count, call.send_type) == bytes) {
        call.block_bytes = bytes;
    } else {
        call.unequal = true;
    }
}

}  // namespace aapc::interposer
