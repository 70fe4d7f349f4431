/// @file
/// One call of MPI_Alltoall, read once.
#pragma once

#include <mpi.h>

#include <cstdint>

namespace aapc::interposer {

/// MPI_Alltoall's arguments as the program gave them, and what follows from them.
struct Call {
    const void* send_buffer;
    int send_count;
    MPI_Datatype send_type;
    void* receive_buffer;
    int receive_count;
    MPI_Datatype receive_type;
    MPI_Comm comm;

    /// Bytes of data in a block, gaps not counted; -1: the arguments are not beyond complaint, and the MPI's to judge.
    std::int64_t block_bytes = -1;

    [[nodiscard]] bool in_place() const { return send_buffer == MPI_IN_PLACE; }
    [[nodiscard]] bool well_formed() const { return block_bytes >= 0; }
    /// Whether both blocks are described by the same words.
    [[nodiscard]] bool sends_what_it_receives() const {
        return in_place() || (send_type == receive_type && send_count == receive_count);
    }
};

/// Fills in what follows from the arguments. Local; asks MPI for the size of a datatype, of two where they differ.
void read_arguments(Call& call);

}  // namespace aapc::interposer
