/// @file
/// Messages that are waited for in the order in which they were begun.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include "mpi/wire_streams.hpp"

namespace aapc::mpi {

/// What went wrong with the messages of an exchange. The others go on, so that no rank waits for one that will not
/// come.
struct Trouble {
    int error = MPI_SUCCESS;  ///< the first one
    /// This rank has nothing to send that is right: its messages are empty, which their receivers notice, and what it
    /// receives goes nowhere.
    bool mute = false;

    void note(int what) {
        if (error == MPI_SUCCESS) {
            error = what;
        }
    }
};

/// A queue of messages of MPI, and of ours. Only the oldest is tested: all of them are moved along meanwhile, and a
/// test of one costs the same however many there are. A message that fails is complete and noted.
class Pending {
  public:
    /// Of a message whose length nobody looks at.
    static constexpr int any_length = -1;

    Pending() { give_back(few_.data(), few_.size()); }
    Pending(const Pending&) = delete;
    Pending& operator=(const Pending&) = delete;
    ~Pending() { give_up(); }

    /// Room for so many messages at a time. Throws std::bad_alloc.
    void reserve(std::size_t messages);
    /// Twice the room. Throws std::bad_alloc.
    void reserve_more() { reserve(2 * capacity_); }
    /// Whether adding takes no memory.
    [[nodiscard]] bool has_room() const { return free_ != nullptr; }
    /// A slot for a new request at the end. A message that is received has `expected` bytes, or else that is noted in
    /// `trouble`, and so are errors. `wire` makes progress whenever a message of this queue is tested; null if there is
    /// none. Throws std::bad_alloc where more are added than there is room for.
    [[nodiscard]] MPI_Request* add(int expected, Trouble& trouble, WireStreams* wire = nullptr);
    /// The same for a message of the wire, which the caller adds to a stream.
    [[nodiscard]] WireMessage& add_on_wire(Trouble& trouble, WireStreams& wire);
    [[nodiscard]] bool empty() const { return oldest_ == nullptr; }

    /// Removes the oldest message if it is complete and says so in `completed`. Returns the code of an MPI error that
    /// is not the message's.
    [[nodiscard]] int test_oldest(bool& completed);
    /// Removes all complete messages up to the first that is not; adds their number to `completed`.
    [[nodiscard]] int test(int& completed);

    /// Cancels what is left: only after an error, or where nobody will send it. Cancels nothing that is complete.
    void give_up();

  private:
    struct Entry {
        MPI_Request request = MPI_REQUEST_NULL;
        int expected = any_length;
        bool on_wire = false;  ///< it is `message`, not `request`
        Trouble* trouble = nullptr;
        WireStreams* wire = nullptr;
        WireMessage message;
        Entry* next = nullptr;
    };
    void give_back(Entry* entries, std::size_t count);
    [[nodiscard]] Entry& append();
    void remove_oldest();
    void move_wire() const {
        if (oldest_ != nullptr && oldest_->wire != nullptr) {
            oldest_->wire->advance();
        }
    }
    [[nodiscard]] bool look_at_oldest();

    std::array<Entry, 2> few_;                    ///< enough for most, which then take no memory
    std::vector<std::unique_ptr<Entry[]>> more_;  ///< streams know where messages are, so they stay there
    std::size_t capacity_ = 0;
    Entry* free_ = nullptr;
    Entry* oldest_ = nullptr;
    Entry* newest_ = nullptr;
};

}  // namespace aapc::mpi
