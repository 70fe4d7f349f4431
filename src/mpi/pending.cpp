#include "mpi/pending.hpp"

#include <algorithm>

namespace aapc::mpi {

void Pending::give_up() {
    for (; count_ > 0; --count_, ++oldest_) {
        MPI_Request& request = ring_[oldest_ % ring_.size()];
        if (request != MPI_REQUEST_NULL) {
            PMPI_Cancel(&request);
            PMPI_Request_free(&request);
        }
    }
}

void Pending::reserve(std::size_t requests) {
    if (requests <= ring_.size()) {
        return;
    }
    std::vector<MPI_Request> larger(requests, MPI_REQUEST_NULL);
    for (std::size_t index = 0; index < count_; ++index) {
        larger[index] = ring_[(oldest_ + index) % ring_.size()];
    }
    ring_.swap(larger);
    oldest_ = 0;
}

MPI_Request* Pending::add() {
    constexpr std::size_t fewest = 16;
    if (count_ == ring_.size()) {
        reserve(std::max(fewest, 2 * count_));
    }
    MPI_Request& request = ring_[(oldest_ + count_++) % ring_.size()];
    request = MPI_REQUEST_NULL;
    return &request;
}

int Pending::test_oldest(bool& completed) {
    completed = false;
    if (count_ == 0) {
        return MPI_SUCCESS;
    }
    int flag = 0;
    const int error = PMPI_Test(&ring_[oldest_], &flag, MPI_STATUS_IGNORE);
    if (error == MPI_SUCCESS && flag != 0) {
        oldest_ = oldest_ + 1 == ring_.size() ? 0 : oldest_ + 1;
        --count_;
        completed = true;
    }
    return error;
}

int Pending::test(int& completed) {
    bool again = true;
    while (again) {
        if (const int error = test_oldest(again); error != MPI_SUCCESS) {
            return error;
        }
        completed += again ? 1 : 0;
    }
    return MPI_SUCCESS;
}

}  // namespace aapc::mpi
