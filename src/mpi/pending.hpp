/// @file
/// Requests that are waited for in the order in which they were made.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <vector>

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

/// A queue of requests. Only the oldest is tested: MPI moves all of them along meanwhile, and a test of one costs the
/// same however many there are. A message that fails is complete and noted.
class Pending {
  public:
    /// Of a message whose length nobody looks at.
    static constexpr int any_length = -1;

    Pending() = default;
    Pending(const Pending&) = delete;
    Pending& operator=(const Pending&) = delete;
    ~Pending() { give_up(); }

    /// Room for so many requests at a time. Throws std::bad_alloc.
    void reserve(std::size_t requests);
    /// Twice the room. Throws std::bad_alloc.
    void reserve_more() { reserve(2 * capacity()); }
    /// Whether add() takes no memory.
    [[nodiscard]] bool has_room() const { return count_ < capacity(); }
    /// A slot for a new request at the end. A message that is received has `expected` bytes, or else that is noted in
    /// `trouble`, and so are errors. Throws std::bad_alloc where more are added than there is room for.
    [[nodiscard]] MPI_Request* add(int expected, Trouble& trouble);
    [[nodiscard]] bool empty() const { return count_ == 0; }

    /// Removes the oldest request if it is complete and says so in `completed`. Returns the code of an MPI error that
    /// is not the message's.
    [[nodiscard]] int test_oldest(bool& completed);
    /// Removes all complete requests up to the first that is not; adds their number to `completed`.
    [[nodiscard]] int test(int& completed);

    /// Cancels what is left: only after an error, or where nobody will send it. Cancels nothing that is complete.
    void give_up();

  private:
    struct Entry {
        MPI_Request request = MPI_REQUEST_NULL;
        int expected = any_length;
        Trouble* trouble = nullptr;
    };
    [[nodiscard]] std::size_t capacity() const { return more_.empty() ? few_.size() : more_.size(); }
    [[nodiscard]] Entry& at(std::size_t place);
    void remove_oldest();

    std::array<Entry, 2> few_;  ///< enough for most, which then take no memory
    std::vector<Entry> more_;   ///< in place of few_, once there is any; a ring, like that
    std::size_t first_ = 0;
    std::size_t count_ = 0;
};

}  // namespace aapc::mpi
