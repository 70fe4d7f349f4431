/// @file
/// Barriers between blocks of phases (Faraj, Yuan & Patarasuk 2007, section 5).
#pragma once

#include <mpi.h>

#include "aapc/timetable/timetable.hpp"

namespace aapc::mpi {

/// The barriers of one exchange. N phases in blocks of B have ⌈N/B⌉ - 1 of them, on every rank alike, whether or not a
/// rank has messages in a block: all must pass them all. They are nonblocking, so that messages move meanwhile.
class Barriers {
  public:
    /// A barrier every `phases_between` of `phases` phases; 0: none at all.
    Barriers(MPI_Comm communicator, Phase phases, Phase phases_between);

    /// Messages of this phase and later ones must not start yet.
    [[nodiscard]] Phase closed_from() const { return closed_from_; }
    [[nodiscard]] bool all_passed() const { return closed_from_ == phases_; }

    /// Enters the next barrier, if there is one, once `block_complete` says that this rank has sent and received
    /// everything before closed_from(); opens the next block once all ranks are there. Returns the MPI error code;
    /// after an error the request is left to MPI, for collectives cannot be cancelled.
    [[nodiscard]] int advance(bool block_complete, int& progress);

  private:
    MPI_Comm communicator_;
    Phase phases_;
    Phase phases_between_;
    Phase closed_from_;
    MPI_Request request_ = MPI_REQUEST_NULL;  ///< the barrier that this rank is in
};

}  // namespace aapc::mpi
