/// @file
/// Blocks between ranks of one machine, and messages of any lengths: one copy, no message of MPI.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "aapc/mpi/unequal_exchange.hpp"
#include "aapc/plan/plan.hpp"
#include "mpi/blocks.hpp"
#include "mpi/machine_share.hpp"
#include "mpi/pending.hpp"
#include "mpi/transport.hpp"

namespace aapc::mpi {

/// Copies the blocks that this rank gets from the other ranks of its machine out of their send buffers, piece by piece,
/// while the messages of the same call are on their way: whoever waits for those calls advance(). A buffer that cannot
/// be read (memory of a device, say) comes as a message instead.
///
/// It cannot deadlock with the messages: every rank calls advance() in all its waiting and waits for the others'
/// reading only when it has done all its own.
class LocalCopies {
  public:
    /// The order is that of the plan's receives, unless the machine's memory has an order of its own. `share` and
    /// `transport` outlive it.
    LocalCopies(MachineMemory::Share& share, const Transport& transport, const Plan& plan);
    LocalCopies(const LocalCopies&) = delete;
    LocalCopies& operator=(const LocalCopies&) = delete;

    /// Whether the blocks from and to this rank are copied.
    [[nodiscard]] bool covers(Rank other) const;

    /// Starts a call whose buffers stay where they are until it is complete().
    void start(const Blocks& blocks);
    /// The same for messages of any lengths, which sender and receiver know alike. Lengths and places stay where they
    /// are, too: it is the sender's list of places that the others read first.
    void start(const MessageBytes& bytes, const MessagePlaces& places);
    /// Makes room for such messages of that length. Throws std::bad_alloc.
    void make_room_for(const MessageBytes& bytes);
    /// Copies one piece at most, some ten microseconds' work; adds to `progress` what got done. Returns the MPI error
    /// code.
    [[nodiscard]] int advance(int& progress);
    /// Leaves out what is not copied yet; complete() when the others have done so, too, or have all theirs.
    void copy_nothing_more();
    /// Whether this rank has all its blocks and all others have theirs from it.
    [[nodiscard]] bool complete() const;

  private:
    struct Source {
        Rank rank;
        std::size_t index;  ///< on the machine
    };
    /// Opens what others read: the blocks, or the list of places.
    void open(const void* shown, std::size_t shown_bytes);
    [[nodiscard]] std::size_t bytes_from(Rank rank) const;
    [[nodiscard]] std::byte* place_from(Rank rank) const;
    [[nodiscard]] std::size_t bytes_for(Rank rank) const;
    [[nodiscard]] const std::byte* place_for(Rank rank) const;
    /// Where the message for this rank is in its owner's memory; false: that cannot be read.
    [[nodiscard]] bool find_content(const machine::Cell& cell, std::uintptr_t& address) const;
    void copy_piece(int& progress);
    [[nodiscard]] int receive_refused();
    [[nodiscard]] int answer_refusals(int& progress);

    MachineMemory::Share& share_;
    const Transport& transport_;
    Rank own_;
    std::vector<Source> sources_;
    Blocks blocks_{};
    MessageBytes bytes_;  ///< where `unequal_`, in place of the blocks
    MessagePlaces places_;
    bool unequal_ = false;
    std::vector<Source> left_;      ///< whose blocks are still to be copied, the next one last
    std::size_t copied_bytes_ = 0;  ///< of the message of left_.back() ...
    std::uintptr_t content_ = 0;    ///< ... which is there in its owner's memory
    std::vector<Rank> refused_;     ///< whose blocks could not be read and have no receive yet
    std::vector<Source> readers_;   ///< who may still be reading here
    Pending messages_;
    bool finished_ = true;  ///< the others know that this rank reads no more
};

}  // namespace aapc::mpi
