#include "interposer/refusals.hpp"

#include <array>
#include <cstddef>

namespace aapc::interposer {

bool is_predefined(MPI_Datatype type) {
    int integers = 0;
    int addresses = 0;
    int datatypes = 0;
    int combiner = MPI_COMBINER_NAMED;
    PMPI_Type_get_envelope(type, &integers, &addresses, &datatypes, &combiner);
    return combiner == MPI_COMBINER_NAMED;
}

/// By the routines that the program calls: those that look at its arguments. There is no job yet, so they lead to the
/// MPI itself.
std::optional<Refusals> Refusals::find_out() {
    Refusals found;
    if (PMPI_Comm_dup(MPI_COMM_SELF, &found.alone_) != MPI_SUCCESS) {
        return std::nullopt;
    }
    PMPI_Comm_set_errhandler(found.alone_, MPI_ERRORS_RETURN);
    int both = 0;
    found.aliasing_ = PMPI_Alltoall(&both, 1, MPI_INT, &both, 1, MPI_INT, found.alone_) != MPI_SUCCESS;
    const int less = 0;
    std::array<int, 2> more{};
    found.unequal_ = PMPI_Alltoall(&less, 1, MPI_INT, more.data(), 2, MPI_INT, found.alone_) != MPI_SUCCESS;
    const int nothing = 0;
    MPI_Datatype no_type = MPI_DATATYPE_NULL;
    found.typeless_ = PMPI_Alltoallw(&less, &nothing, &nothing, &no_type, more.data(), &nothing, &nothing, &no_type,
                                     found.alone_) == MPI_SUCCESS;
    return found;
}

void Refusals::release() {
    if (alone_ != MPI_COMM_NULL) {
        PMPI_Comm_free(&alone_);
    }
}

bool Refusals::is_missing(const void* buffer, MPI_Datatype type) {
    if (buffer != nullptr) {
        return false;
    }
    MPI_Count first = 0;
    MPI_Count extent = 0;
    PMPI_Type_get_true_extent_x(type, &first, &extent);
    return first == 0;
}

bool Refusals::refuses_one_buffer(const UnequalCall& call) const {
    return aliasing_ && call.send.buffer == call.receive.buffer && call.send.counts == call.receive.counts &&
           call.send.type == call.receive.type && call.send.types == call.receive.types;
}

bool Refusals::refuse(const UnequalCall& call, int ranks) const {
    if (call.receive.buffer == MPI_IN_PLACE) {
        return true;
    }
    const auto refuses_side = [&](const UnequalSide& side) {
        MPI_Datatype known = MPI_DATATYPE_NULL;
        if (side.counts.missing() || side.displacements.missing() || (call.typed && side.types == nullptr)) {
            return true;
        }
        for (std::size_t peer = 0; peer < static_cast<std::size_t>(ranks); ++peer) {
            const std::int64_t count = side.counts[peer];
            const MPI_Datatype type = side.type_of(peer);
            // MPICH lets pass whatever type it is of which there is nothing.
            if (count < 0 || (count > 0 && (refuses_message(count, type, known) ||
                                            (data_bytes(1, type) > 0 && is_missing(side.buffer, type))))) {
                return true;
            }
            known = count > 0 ? type : known;
        }
        return false;
    };
    return refuses_side(call.receive) || (!call.in_place() && (refuses_side(call.send) || refuses_one_buffer(call)));
}

bool Refusals::refuse(const Call& call) const {
    if (call.receive_buffer == MPI_IN_PLACE || is_missing(call.receive_buffer, call.receive_type) ||
        refuses_type(call.receive_type)) {
        return true;
    }
    if (call.in_place()) {
        return false;
    }
    // Two types of absolute addresses may well have one buffer.
    const bool aliased =
        call.send_buffer == call.receive_buffer && (call.send_buffer != nullptr || call.sends_what_it_receives());
    return (aliased && aliasing_) || is_missing(call.send_buffer, call.send_type) ||
           (call.send_type != call.receive_type && refuses_type(call.send_type));
}

/// MPI tells nobody which types are committed, but refuses to pack nothing of one that is not.
bool Refusals::refuses_type(MPI_Datatype type) const {
    if (is_predefined(type)) {
        return false;
    }
    const std::array<std::byte, 1> nothing{};
    std::array<std::byte, 1> packed{};
    int position = 0;
    return PMPI_Pack(nothing.data(), 0, type, packed.data(), 1, &position, alone_) != MPI_SUCCESS;
}

}  // namespace aapc::interposer
