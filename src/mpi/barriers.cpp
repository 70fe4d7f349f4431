#include "mpi/barriers.hpp"

#include <algorithm>

namespace aapc::mpi {

Barriers::Barriers(MPI_Comm communicator, Phase phases, Phase phases_between)
    : communicator_(communicator),
      phases_(phases),
      phases_between_(phases_between == 0 ? phases : std::min(phases_between, phases)),
      closed_from_(phases_between_) {}

int Barriers::advance(bool block_complete, int& progress) {
    if (all_passed()) {
        return MPI_SUCCESS;
    }
    if (request_ == MPI_REQUEST_NULL) {
        if (!block_complete) {
            return MPI_SUCCESS;
        }
        ++progress;
        if (const int error = PMPI_Ibarrier(communicator_, &request_); error != MPI_SUCCESS) {
            return error;
        }
    }
    int all_are_there = 0;
    const int error = PMPI_Test(&request_, &all_are_there, MPI_STATUS_IGNORE);
    if (error == MPI_SUCCESS && all_are_there != 0) {
        ++progress;
        closed_from_ = std::min(closed_from_ + phases_between_, phases_);
    }
    return error;
}

}  // namespace aapc::mpi
