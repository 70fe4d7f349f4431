#include "interposer/equal_buffers.hpp"

#include <mpi.h>

#include <new>

#include "interposer/long_calls.hpp"
#include "mpi/complaints.hpp"
#include "mpi/returned_errors.hpp"

namespace aapc::interposer {

int EqualBuffers::run(mpi::Exchange& exchange, const Call& call, int ranks) {
    const CarriedOut carried_out(name_of(call.routine), call.comm, call.block_bytes);
    // Blocks that are exchanged have data, at most 2^31-1 bytes of them, and so no more elements.
    const Block receive_block(static_cast<int>(call.receive_count), call.receive_type, call.block_bytes,
                              receive_layout_.of(call.receive_type));
    const Block send_block = call.sends_what_it_receives() ? receive_block
                                                           : Block(static_cast<int>(call.send_count), call.send_type,
                                                                   call.block_bytes, send_layout_.of(call.send_type));
    const auto block_bytes = static_cast<std::size_t>(call.block_bytes);

    const std::byte* from = nullptr;
    std::byte* to = nullptr;
    int error = call.unequal ? MPI_ERR_TRUNCATE : MPI_SUCCESS;
    bool raised = false;
    if (error == MPI_SUCCESS) {
        const std::size_t all_bytes = block_bytes * static_cast<std::size_t>(ranks);
        const bool packs = call.in_place() || !send_block.plain();
        from = packs ? packed_send_.at_least(all_bytes) : static_cast<const std::byte*>(call.send_buffer);
        to = receive_block.plain() ? static_cast<std::byte*>(call.receive_buffer) : packed_receive_.at_least(all_bytes);
        if (from == nullptr || to == nullptr) {
            error = MPI_ERR_NO_MEM;
        } else if (packs) {
            const void* const unpacked = call.in_place() ? call.receive_buffer : call.send_buffer;
            error = send_block.pack(unpacked, ranks, packed_send_.bytes.get(), call.comm);
            raised = error != MPI_SUCCESS;
        }
    }
    // A rank that has nothing to send still takes part, for the others wait for it.
    const int became = error == MPI_SUCCESS ? exchange.run(from, to, block_bytes) : exchange.run_mute(block_bytes);
    if (became == mpi::Exchange::declined) {
        return became;
    }
    error = error == MPI_SUCCESS ? became : error;
    if (error != MPI_SUCCESS) {
        return raised ? error : mpi::raise(call.comm, error);
    }
    return receive_block.plain() ? MPI_SUCCESS : receive_block.unpack(to, ranks, call.receive_buffer, call.comm);
}

std::byte* EqualBuffers::Scratch::at_least(std::size_t wanted) {
    if (size < wanted) {
        bytes.reset();
        bytes.reset(new (std::nothrow) std::byte[wanted]);
        size = bytes ? wanted : 0;
    }
    return bytes.get();
}

}  // namespace aapc::interposer
