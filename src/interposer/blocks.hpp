/// @file
/// The program's buffers as rows of plain blocks, whatever datatypes describe them. All of it is local to a rank: the
/// other ranks do not see this rank's datatypes, so nothing they do may depend on them.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>

namespace aapc::interposer {

/// Bytes of data in `count` elements of `type`, gaps not counted.
[[nodiscard]] std::int64_t data_bytes(int count, MPI_Datatype type);

/// One block of MPI_Alltoall's arguments: `count` elements of `type`.
class Block {
  public:
    /// Asks MPI about the type; a committed datatype and count >= 0, data_bytes() of them at most 2^31-1.
    Block(int count, MPI_Datatype type);

    /// Bytes of data in a block, gaps not counted.
    [[nodiscard]] std::int64_t bytes() const { return bytes_; }
    /// Whether a block's bytes lie in memory as they travel: no gaps and nothing out of order.
    [[nodiscard]] bool plain() const { return plain_; }

    /// Copies `blocks` consecutive blocks of the program's buffer to `packed`. Returns an MPI error code, for which the
    /// communicator's error handler has been called.
    [[nodiscard]] int pack(const void* buffer, int blocks, std::byte* packed, MPI_Comm comm) const;
    /// The reverse; gaps in the buffer are left as they are.
    [[nodiscard]] int unpack(const std::byte* packed, int blocks, void* buffer, MPI_Comm comm) const;

  private:
    int count_;
    MPI_Datatype type_;
    MPI_Aint stride_;  ///< from one block to the next, in the program's buffer
    std::int64_t bytes_;
    bool plain_;
};

/// Whether this MPI packs data and nothing else, as both known ones do between equal machines. Local.
[[nodiscard]] bool packs_plain_bytes();

}  // namespace aapc::interposer
