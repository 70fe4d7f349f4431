#include "mpi/pending.hpp"

namespace aapc::mpi {

Pending::~Pending() {
    for (MPI_Request& request : requests_) {
        if (request != MPI_REQUEST_NULL) {
            PMPI_Cancel(&request);
            PMPI_Request_free(&request);
        }
    }
}

MPI_Request* Pending::add() {
    requests_.push_back(MPI_REQUEST_NULL);
    return &requests_.back();
}

int Pending::test_oldest(bool& completed) {
    completed = false;
    if (requests_.empty()) {
        return MPI_SUCCESS;
    }
    int flag = 0;
    const int error = PMPI_Test(&requests_.front(), &flag, MPI_STATUS_IGNORE);
    if (error == MPI_SUCCESS && flag != 0) {
        requests_.pop_front();
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
