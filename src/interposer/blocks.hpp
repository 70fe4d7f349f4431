/// @file
/// The program's buffers as rows of plain blocks, whatever datatypes describe them. All of it is local to a rank: the
/// other ranks do not see this rank's datatypes, so nothing they do may depend on them.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>

namespace aapc::interposer {

/// How the elements of a datatype lie in memory.
struct Layout {
    MPI_Aint extent = 0;  ///< from one element to the next
    bool plain = false;   ///< the bytes lie in memory as they travel: no gaps and nothing out of order
    /// Part of the MPI: the handle never means another type. Others are freed, and their handles used again.
    bool predefined = false;
};

/// The layouts of types, asked of MPI each time but for the predefined type that was asked for last. Not for concurrent
/// use.
class LayoutReader {
  public:
    [[nodiscard]] const Layout& of(MPI_Datatype type);

  private:
    MPI_Datatype type_ = MPI_DATATYPE_NULL;  ///< of layout_, if that is a predefined one's
    Layout layout_;
};

/// One block of MPI_Alltoall's arguments: `count` elements of `type`.
class Block {
  public:
    /// A committed datatype with its layout and count >= 0; `bytes` of data they are, at most 2^31-1.
    Block(int count, MPI_Datatype type, std::int64_t bytes, const Layout& layout)
        : count_(count),
          type_(type),
          stride_(layout.extent * static_cast<MPI_Aint>(count)),
          bytes_(bytes),
          plain_(layout.plain) {}

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
