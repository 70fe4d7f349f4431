#include "mpi/pending.hpp"

#include <algorithm>
#include <utility>

namespace aapc::mpi {

Pending::Entry& Pending::at(std::size_t place) {
    std::size_t index = first_ + place;
    if (index >= capacity()) {
        index -= capacity();
    }
    return more_.empty() ? few_[index] : more_[index];
}

void Pending::reserve(std::size_t requests) {
    if (requests <= capacity()) {
        return;
    }
    std::vector<Entry> larger(requests);
    for (std::size_t place = 0; place < count_; ++place) {
        larger[place] = at(place);
    }
    more_ = std::move(larger);
    first_ = 0;
}

MPI_Request* Pending::add(int expected, Trouble& trouble) {
    if (!has_room()) {
        reserve_more();
    }
    Entry& entry = at(count_++);
    entry = {MPI_REQUEST_NULL, expected, &trouble};
    return &entry.request;
}

void Pending::remove_oldest() {
    first_ = first_ + 1 == capacity() ? 0 : first_ + 1;
    --count_;
}

int Pending::test_oldest(bool& completed) {
    completed = false;
    if (empty()) {
        return MPI_SUCCESS;
    }
    Entry& oldest = at(0);
    int flag = 0;
    MPI_Status status;
    if (const int error = PMPI_Test(&oldest.request, &flag, &status); error != MPI_SUCCESS) {
        oldest.trouble->note(error);
        // Complete, but Open MPI keeps it.
        if (oldest.request != MPI_REQUEST_NULL) {
            PMPI_Request_free(&oldest.request);
        }
        flag = 1;
    } else if (flag != 0 && oldest.expected != any_length) {
        int bytes = 0;
        PMPI_Get_count(&status, MPI_BYTE, &bytes);
        if (bytes != oldest.expected) {
            oldest.trouble->note(MPI_ERR_TRUNCATE);
        }
    }
    if (flag != 0) {
        remove_oldest();
        completed = true;
    }
    return MPI_SUCCESS;
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

void Pending::give_up() {
    for (; count_ > 0; remove_oldest()) {
        MPI_Request& request = at(0).request;
        if (request != MPI_REQUEST_NULL) {
            PMPI_Cancel(&request);
            PMPI_Request_free(&request);
        }
    }
}

}  // namespace aapc::mpi
