/// @file
/// The program's buffers of an MPI_Alltoallv or MPI_Alltoallw as messages of plain bytes, whatever describes them.
/// Local: other ranks see the lengths alone.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "aapc/mpi/unequal_exchange.hpp"
#include "interposer/blocks.hpp"
#include "interposer/refusals.hpp"
#include "interposer/unequal_call.hpp"

namespace aapc::interposer {

/// Of one rank of one communicator; one call at a time.
class UnequalBuffers {
  public:
    /// Throws std::bad_alloc.
    explicit UnequalBuffers(int ranks);

    /// Reads a call. False: its arguments are the MPI's to judge, or a message that has to be packed has more bytes
    /// than MPI_Pack counts, or bytes and places are beyond 64 bits. Asks for no memory.
    [[nodiscard]] bool read(const UnequalCall& call, const Refusals& refusals);
    /// Of the call that was read.
    [[nodiscard]] mpi::MessageBytes bytes() const { return {send_.bytes, receive_.bytes}; }

    /// Memory for what has to be packed, kept for the next call. False: there is none.
    [[nodiscard]] bool make_room();
    /// Where the messages are once there is room.
    [[nodiscard]] mpi::MessagePlaces places() const { return {send_places_, receive_places_}; }
    /// Before and behind the exchange. Return an MPI error code, for which the communicator's error handler has been
    /// called.
    [[nodiscard]] int pack(MPI_Comm comm);
    [[nodiscard]] int unpack(MPI_Comm comm);

  private:
    /// A message in the program's memory.
    struct Message {
        void* address;
        std::int64_t count;
        MPI_Datatype type;
        Layout layout;
    };
    struct Side {
        std::vector<Message> messages;
        std::vector<std::int64_t> bytes;
        std::unique_ptr<std::byte[]> packed;
        std::int64_t room = 0;  ///< in `packed`
        bool packs_all = false;

        [[nodiscard]] bool packs(std::size_t peer) const { return packs_all || !messages[peer].layout.plain; }
        [[nodiscard]] Block block(std::size_t peer) const {
            const Message& message = messages[peer];
            // What is packed has data, no more bytes than an int counts, and so no more elements.
            return {static_cast<int>(message.count), message.type, bytes[peer], message.layout};
        }
        bool make_room();
        /// Calls action(peer, place in `packed`) for every message that is packed and has data.
        template <class Action>
        void for_each_packed(Action action);
    };
    bool read_side(const UnequalSide& arguments, const Refusals& refusals, Side& side);

    std::size_t ranks_;
    Side send_;
    Side receive_;
    std::vector<const std::byte*> send_places_;
    std::vector<std::byte*> receive_places_;
    LayoutReader layouts_;
};

}  // namespace aapc::interposer
