#include "mpi/transport.hpp"

#include <algorithm>

namespace aapc::mpi {

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
    return for_each_piece(bytes, [&](std::size_t offset, int length) {
        return PMPI_Isend(content + offset, length, MPI_BYTE, to, static_cast<int>(tag), communicator_, pending.add());
    });
}

int Transport::receive(std::byte* place, std::size_t bytes, Rank from, Tag tag, Pending& pending) const {
    return for_each_piece(bytes, [&](std::size_t offset, int length) {
        return PMPI_Irecv(place + offset, length, MPI_BYTE, from, static_cast<int>(tag), communicator_, pending.add());
    });
}

}  // namespace aapc::mpi
