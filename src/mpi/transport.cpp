#include "mpi/transport.hpp"

#include <algorithm>

namespace aapc::mpi {

namespace {

/// Content of blocks, which a mute rank has not.
bool is_content(Tag tag) { return tag == Tag::data || tag == Tag::dummy || tag == Tag::local; }

}  // namespace

template <class Start>
int Transport::for_each_piece(std::size_t bytes, Start start) const {
    for (std::size_t piece = 0; piece < pieces(bytes); ++piece) {
        const std::size_t offset = piece * piece_bytes_;
        const int length = static_cast<int>(std::min(piece_bytes_, bytes - offset));
        if (const int error = start(offset, length); error != MPI_SUCCESS) {
            return error;
        }
    }
    return MPI_SUCCESS;
}

int Transport::send(const std::byte* content, std::size_t bytes, Rank to, Tag tag, Pending& pending) const {
    const bool empty = trouble_.mute && is_content(tag);
    return for_each_piece(bytes, [&](std::size_t offset, int length) {
        return PMPI_Isend(empty ? nullptr : content + offset, empty ? 0 : length, MPI_BYTE, to, static_cast<int>(tag),
                          communicator_, pending.add(Pending::any_length, trouble_));
    });
}

int Transport::receive(std::byte* place, std::size_t bytes, Rank from, Tag tag, Pending& pending) const {
    const bool nowhere = trouble_.mute && is_content(tag);
    return for_each_piece(bytes, [&](std::size_t offset, int length) {
        // Nobody wants the content of dummies.
        const int expected = tag == Tag::dummy ? Pending::any_length : length;
        return PMPI_Irecv(nowhere ? nullptr : place + offset, nowhere ? 0 : length, MPI_BYTE, from,
                          static_cast<int>(tag), communicator_, pending.add(expected, trouble_));
    });
}

void Transport::let_others_go_on() const {
    int found = 0;
    PMPI_Iprobe(MPI_ANY_SOURCE, static_cast<int>(Tag::nothing), communicator_, &found, MPI_STATUS_IGNORE);
}

}  // namespace aapc::mpi
