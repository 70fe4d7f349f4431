/// @file
/// Requests that are waited for in the order in which they were made.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <vector>

namespace aapc::mpi {

/// A queue of requests. Only the oldest is tested: MPI moves all of them along meanwhile, and a test of one costs the
/// same however many there are.
class Pending {
  public:
    Pending() = default;
    Pending(const Pending&) = delete;
    Pending& operator=(const Pending&) = delete;
    ~Pending() { give_up(); }
    /// Gives up what is left: only after an error. Cancels nothing that is complete.
    void give_up();

    /// Room for so many requests at a time: as many can be added without asking for memory. Throws std::bad_alloc.
    void reserve(std::size_t requests);

    /// A slot for a new request at the end, to be filled in at once. Throws std::bad_alloc where there is no room.
    [[nodiscard]] MPI_Request* add();
    [[nodiscard]] bool empty() const { return count_ == 0; }

    /// Removes the oldest request if it is complete and says so in `completed`. Returns the MPI error code.
    [[nodiscard]] int test_oldest(bool& completed);
    /// Removes all complete requests up to the first that is not; adds their number to `completed`.
    [[nodiscard]] int test(int& completed);

  private:
    std::vector<MPI_Request> ring_;
    std::size_t oldest_ = 0;  ///< in ring_
    std::size_t count_ = 0;   ///< behind the last place of ring_ it goes on at the first
};

}  // namespace aapc::mpi
