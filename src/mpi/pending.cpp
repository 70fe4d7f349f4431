#include "mpi/pending.hpp"

#include <utility>

namespace aapc::mpi {

void Pending::give_back(Entry* entries, std::size_t count) {
    for (std::size_t index = 0; index < count; ++index) {
        entries[index].next = std::exchange(free_, &entries[index]);
    }
    capacity_ += count;
}

void Pending::reserve(std::size_t messages) {
    if (messages <= capacity_) {
        return;
    }
    const std::size_t count = messages - capacity_;
    more_.push_back(std::make_unique<Entry[]>(count));
    give_back(more_.back().get(), count);
}

Pending::Entry& Pending::append() {
    if (!has_room()) {
        reserve_more();
    }
    Entry& entry = *std::exchange(free_, free_->next);
    entry = {};
    (oldest_ == nullptr ? oldest_ : newest_->next) = &entry;
    newest_ = &entry;
    return entry;
}

MPI_Request* Pending::add(int expected, Trouble& trouble, WireStreams* wire) {
    Entry& entry = append();
    entry.expected = expected;
    entry.trouble = &trouble;
    entry.wire = wire;
    return &entry.request;
}

WireMessage& Pending::add_on_wire(Trouble& trouble, WireStreams& wire) {
    Entry& entry = append();
    entry.on_wire = true;
    entry.trouble = &trouble;
    entry.wire = &wire;
    return entry.message;
}

void Pending::remove_oldest() {
    Entry& entry = *oldest_;
    oldest_ = entry.next;
    entry.next = std::exchange(free_, &entry);
}

/// Whether it is complete; what went wrong with it is noted.
bool Pending::look_at_oldest() {
    Entry& oldest = *oldest_;
    if (oldest.on_wire) {
        if (oldest.message.stream != nullptr) {
            return false;
        }
        if (oldest.message.end != WireMessage::End::well) {
            oldest.trouble->note(oldest.message.end == WireMessage::End::broken ? MPI_ERR_OTHER : MPI_ERR_TRUNCATE);
        }
        return true;
    }
    int flag = 0;
    MPI_Status status;
    if (const int error = PMPI_Test(&oldest.request, &flag, &status); error != MPI_SUCCESS) {
        oldest.trouble->note(error);
        // Complete, but Open MPI keeps it.
        if (oldest.request != MPI_REQUEST_NULL) {
            PMPI_Request_free(&oldest.request);
        }
        return true;
    }
    if (flag != 0 && oldest.expected != any_length) {
        int bytes = 0;
        PMPI_Get_count(&status, MPI_BYTE, &bytes);
        if (bytes != oldest.expected) {
            oldest.trouble->note(MPI_ERR_TRUNCATE);
        }
    }
    return flag != 0;
}

int Pending::test_oldest(bool& completed) {
    move_wire();
    completed = !empty() && look_at_oldest();
    if (completed) {
        remove_oldest();
    }
    return MPI_SUCCESS;
}

int Pending::test(int& completed) {
    move_wire();
    while (!empty() && look_at_oldest()) {
        remove_oldest();
        ++completed;
    }
    return MPI_SUCCESS;
}

void Pending::give_up() {
    for (; !empty(); remove_oldest()) {
        if (WireMessage& message = oldest_->message; message.stream != nullptr) {
            message.stream->withdraw(message);
        }
        if (MPI_Request& request = oldest_->request; request != MPI_REQUEST_NULL) {
            PMPI_Cancel(&request);
            PMPI_Request_free(&request);
        }
    }
}

}  // namespace aapc::mpi
