#include "mpi/transport.hpp"

namespace aapc::mpi {

namespace {

/// Content of blocks, which a mute rank has not.
bool is_content(Tag tag) { return tag == Tag::data || tag == Tag::dummy || tag == Tag::local; }

}  // namespace

int MpiTransport::send(const std::byte* content, std::size_t bytes, Rank to, Tag tag, Pending& pending) const {
    const bool empty = trouble().mute && is_content(tag);
    int error = MPI_SUCCESS;
    for (std::size_t index = 0; error == MPI_SUCCESS && index < pieces(bytes); ++index) {
        const auto [offset, length] = piece(bytes, index);
        error = PMPI_Isend(empty ? nullptr : content + offset, empty ? 0 : length, MPI_BYTE, to, static_cast<int>(tag),
                           communicator(), pending.add(Pending::any_length, trouble(), wire_));
    }
    return error;
}

int MpiTransport::receive(std::byte* place, std::size_t bytes, Rank from, Tag tag, Pending& pending) const {
    const bool nowhere = trouble().mute && is_content(tag);
    int error = MPI_SUCCESS;
    for (std::size_t index = 0; error == MPI_SUCCESS && index < pieces(bytes); ++index) {
        const auto [offset, length] = piece(bytes, index);
        // Nobody wants the content of dummies.
        const int expected = tag == Tag::dummy ? Pending::any_length : length;
        error = PMPI_Irecv(nowhere ? nullptr : place + offset, nowhere ? 0 : length, MPI_BYTE, from,
                           static_cast<int>(tag), communicator(), pending.add(expected, trouble(), wire_));
    }
    return error;
}

void MpiTransport::let_others_go_on() const {
    int found = 0;
    PMPI_Iprobe(MPI_ANY_SOURCE, static_cast<int>(Tag::nothing), communicator(), &found, MPI_STATUS_IGNORE);
}

int TcpTransport::send(const std::byte* content, std::size_t bytes, Rank to, Tag tag, Pending& pending) const {
    WireStream* const stream = tag == Tag::data ? wire_.to(to) : nullptr;
    if (stream == nullptr) {
        return MpiTransport::send(content, bytes, to, tag, pending);
    }
    const bool empty = trouble().mute;
    for (std::size_t index = 0; index < pieces(bytes); ++index) {
        const auto [offset, length] = piece(bytes, index);
        WireMessage& message = pending.add_on_wire(trouble(), wire_);
        message.place = const_cast<std::byte*>(content) + (empty ? 0 : offset);
        message.bytes = empty ? 0 : static_cast<std::uint32_t>(length);
        stream->add(message);
    }
    return MPI_SUCCESS;
}

int TcpTransport::receive(std::byte* place, std::size_t bytes, Rank from, Tag tag, Pending& pending) const {
    WireStream* const stream = tag == Tag::data ? wire_.from(from) : nullptr;
    if (stream == nullptr) {
        return MpiTransport::receive(place, bytes, from, tag, pending);
    }
    const bool nowhere = trouble().mute;
    for (std::size_t index = 0; index < pieces(bytes); ++index) {
        const auto [offset, length] = piece(bytes, index);
        WireMessage& message = pending.add_on_wire(trouble(), wire_);
        message.place = place + (nowhere ? 0 : offset);
        message.bytes = static_cast<std::uint32_t>(length);
        message.goes_nowhere = nowhere;
        stream->add(message);
    }
    return MPI_SUCCESS;
}

void TcpTransport::let_others_go_on() const {
    MpiTransport::let_others_go_on();
    wire_.advance();
}

}  // namespace aapc::mpi
