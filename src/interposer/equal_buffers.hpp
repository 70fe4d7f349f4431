/// @file
/// The program's buffers of an MPI_Alltoall as rows of plain blocks around an exchange. Local but for the exchange.
#pragma once

#include <cstddef>
#include <memory>

#include "aapc/mpi/exchange.hpp"
#include "interposer/blocks.hpp"
#include "interposer/call.hpp"

namespace aapc::interposer {

/// Of one rank of one communicator; one call at a time.
class EqualBuffers {
  public:
    /// Packs what the call sends, has it exchanged, and unpacks what it receives; its blocks have 1 to
    /// largest_scheduled_block bytes. A rank that cannot pack takes part nevertheless. Returns an MPI error code, for
    /// which the communicator's error handler has been called, or Exchange::declined, on all ranks: nothing has been
    /// done then.
    [[nodiscard]] int run(mpi::Exchange& exchange, const Call& call, int ranks);

  private:
    /// A buffer that grows and is kept for the next call. Null: no memory.
    struct Scratch {
        std::unique_ptr<std::byte[]> bytes;
        std::size_t size = 0;
        std::byte* at_least(std::size_t wanted);
    };

    LayoutReader send_layout_;
    LayoutReader receive_layout_;
    Scratch packed_send_;
    Scratch packed_receive_;
};

}  // namespace aapc::interposer
