#include "interposer/unequal_buffers.hpp"

#include <algorithm>
#include <new>

#include "interposer/call.hpp"

namespace aapc::interposer {

namespace {

/// MPI_Pack counts in int.
constexpr std::int64_t largest_packed_bytes = INT32_MAX;

/// Not pointer arithmetic: MPI_BOTTOM is null, and places may be absolute.
void* at(const void* buffer, std::int64_t offset) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the program's address
    return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(buffer) + static_cast<std::uintptr_t>(offset));
}

}  // namespace

UnequalBuffers::UnequalBuffers(int ranks)
    : ranks_(static_cast<std::size_t>(ranks)), send_places_(ranks_), receive_places_(ranks_) {
    for (Side* const side : {&send_, &receive_}) {
        side->messages.resize(ranks_);
        side->bytes.resize(ranks_);
    }
}

bool UnequalBuffers::read(const UnequalCall& call, const Refusals& refusals) {
    if (call.receive.buffer == MPI_IN_PLACE || !read_side(call.receive, refusals, receive_)) {
        return false;
    }
    send_.packs_all = call.in_place();
    if (call.in_place()) {
        // No more than a copy of what has been read: vectors of the same length.
        std::copy(receive_.messages.begin(), receive_.messages.end(), send_.messages.begin());
        std::copy(receive_.bytes.begin(), receive_.bytes.end(), send_.bytes.begin());
    } else if (!read_side(call.send, refusals, send_) || refusals.refuses_one_buffer(call)) {
        return false;
    }
    for (const Side* const side : {&send_, &receive_}) {
        for (std::size_t peer = 0; peer < ranks_; ++peer) {
            if (side->packs(peer) && side->bytes[peer] > largest_packed_bytes) {
                return false;
            }
        }
    }
    return true;
}

bool UnequalBuffers::read_side(const UnequalSide& arguments, const Refusals& refusals, Side& side) {
    if (arguments.counts.missing() || arguments.displacements.missing()) {
        return false;
    }
    Layout layout;
    std::int64_t element = 0;  // bytes of data in one
    MPI_Datatype known = MPI_DATATYPE_NULL;
    for (std::size_t peer = 0; peer < ranks_; ++peer) {
        const MPI_Datatype type = arguments.type_of(peer);
        const std::int64_t count = arguments.counts[peer];
        if (count == 0 && type == MPI_DATATYPE_NULL && refusals.allows_no_type(arguments.types != nullptr)) {
            side.messages[peer] = {};
            side.bytes[peer] = 0;
            continue;
        }
        if (refusals.refuses_message(count, type, known)) {
            return false;
        }
        if (type != known) {
            layout = layouts_.of(type);
            element = data_bytes(1, type);
            known = type;
        }
        const std::int64_t step = arguments.types != nullptr ? 1 : static_cast<std::int64_t>(layout.extent);
        std::int64_t place = 0;
        if (__builtin_mul_overflow(arguments.displacements[peer], step, &place) ||
            __builtin_mul_overflow(element, count, &side.bytes[peer])) {
            return false;
        }
        side.messages[peer] = {at(arguments.buffer, place), count, type, layout};
        if (side.bytes[peer] > 0 && Refusals::is_missing(arguments.buffer, type)) {
            return false;
        }
    }
    return true;
}

bool UnequalBuffers::Side::make_room() {
    std::int64_t wanted = 0;
    for (std::size_t peer = 0; peer < messages.size(); ++peer) {
        wanted += packs(peer) ? bytes[peer] : 0;
    }
    if (wanted > room) {
        packed.reset();
        packed.reset(new (std::nothrow) std::byte[static_cast<std::size_t>(wanted)]);
        room = packed ? wanted : 0;
    }
    return wanted <= room;
}

template <class Action>
void UnequalBuffers::Side::for_each_packed(Action action) {
    std::byte* place = packed.get();
    for (std::size_t peer = 0; peer < messages.size(); ++peer) {
        if (bytes[peer] > 0 && packs(peer)) {
            action(peer, place);
            place += bytes[peer];
        }
    }
}

bool UnequalBuffers::make_room() {
    if (!send_.make_room() || !receive_.make_room()) {
        return false;
    }
    for (std::size_t peer = 0; peer < ranks_; ++peer) {
        send_places_[peer] = static_cast<const std::byte*>(send_.messages[peer].address);
        receive_places_[peer] = static_cast<std::byte*>(receive_.messages[peer].address);
    }
    send_.for_each_packed([&](std::size_t peer, std::byte* place) { send_places_[peer] = place; });
    receive_.for_each_packed([&](std::size_t peer, std::byte* place) { receive_places_[peer] = place; });
    return true;
}

int UnequalBuffers::pack(MPI_Comm comm) {
    int error = MPI_SUCCESS;
    send_.for_each_packed([&](std::size_t peer, std::byte* place) {
        if (error == MPI_SUCCESS) {
            error = send_.block(peer).pack(send_.messages[peer].address, 1, place, comm);
        }
    });
    return error;
}

int UnequalBuffers::unpack(MPI_Comm comm) {
    int error = MPI_SUCCESS;
    receive_.for_each_packed([&](std::size_t peer, std::byte* place) {
        if (error == MPI_SUCCESS) {
            error = receive_.block(peer).unpack(place, 1, receive_.messages[peer].address, comm);
        }
    });
    return error;
}

}  // namespace aapc::interposer
