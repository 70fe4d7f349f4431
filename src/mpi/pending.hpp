/// @file
/// Requests that are waited for in the order in which they were made.
#pragma once

#include <mpi.h>

#include <deque>

namespace aapc::mpi {

/// A queue of requests. Only the oldest is tested: MPI moves all of them along meanwhile, and a test of one costs the
/// same however many there are.
class Pending {
  public:
    Pending() = default;
    Pending(const Pending&) = delete;
    Pending& operator=(const Pending&) = delete;
    /// Gives up what is left: only after an error. Cancels nothing that is complete.
    ~Pending();

    /// A slot for a new request at the end.
    [[nodiscard]] MPI_Request* add();
    [[nodiscard]] bool empty() const { return requests_.empty(); }

    /// Removes the oldest request if it is complete and says so in `completed`. Returns the MPI error code.
    [[nodiscard]] int test_oldest(bool& completed);
    /// Removes all complete requests up to the first that is not; adds their number to `completed`.
    [[nodiscard]] int test(int& completed);

  private:
    std::deque<MPI_Request> requests_;
};

}  // namespace aapc::mpi
