#include "interposer/operation.hpp"

#include <cstddef>
#include <utility>

#include "interposer/carry_out.hpp"
#include "interposer/refusals.hpp"
#include "mpi/ranks.hpp"

namespace aapc::interposer {

HeldType::HeldType(MPI_Datatype type) : type_(type) {
    if (type != MPI_DATATYPE_NULL && !is_predefined(type)) {
        is_ours_ = PMPI_Type_dup(type, &type_) == MPI_SUCCESS;
    }
}

HeldType::HeldType(HeldType&& other) noexcept : type_(other.type_), is_ours_(std::exchange(other.is_ours_, false)) {}

HeldType& HeldType::operator=(HeldType&& other) noexcept {
    std::swap(type_, other.type_);
    std::swap(is_ours_, other.is_ours_);
    return *this;
}

HeldType::~HeldType() {
    if (is_ours_) {
        PMPI_Type_free(&type_);
    }
}

void Operation::HeldSide::hold(UnequalSide& side, bool typed, std::size_t peers) {
    // mpi4py 4 frees these arrays when the call has returned, where the MPI has no large-count forms.
    side.counts = side.counts.copied_to(counts, peers);
    side.displacements = side.displacements.copied_to(displacements, peers);
    if (!typed) {
        held.emplace_back(side.type);
        side.type = held.back().get();
        return;
    }
    if (side.types == nullptr || side.counts.missing()) {
        return;  // the MPI's to judge
    }
    held.reserve(peers);
    types.reserve(peers);
    for (std::size_t peer = 0; peer < peers; ++peer) {
        // Whoever has no message may have no type for it.
        held.emplace_back(side.counts[peer] != 0 ? HeldType(side.types[peer]) : HeldType());
        types.push_back(held.back().get() != MPI_DATATYPE_NULL ? held.back().get() : side.types[peer]);
    }
    side.types = types.data();
}

Operation::Operation(const Call& call) : call_(call) {
    Call& mine = std::get<Call>(call_);
    if (!mine.in_place()) {
        send_.held.emplace_back(mine.send_type);
        mine.send_type = send_.held.back().get();
    }
    // Blocks that are described by the same words are told by their handles.
    if (!mine.in_place() && call.send_type == call.receive_type) {
        mine.receive_type = mine.send_type;
    } else {
        receive_.held.emplace_back(mine.receive_type);
        mine.receive_type = receive_.held.back().get();
    }
}

Operation::Operation(const UnequalCall& call) : call_(call) {
    UnequalCall& mine = std::get<UnequalCall>(call_);
    const auto peers = static_cast<std::size_t>(mpi::ranks_in(call.comm));
    if (!mine.in_place()) {
        send_.hold(mine.send, call.typed, peers);
    }
    receive_.hold(mine.receive, call.typed, peers);
    // What is one type or array of the program's is so here.
    if (!mine.in_place() && !call.typed && call.send.type == call.receive.type) {
        mine.receive.type = mine.send.type;
    }
    if (!mine.in_place() && call.send.counts == call.receive.counts) {
        mine.receive.counts = mine.send.counts;
    }
}

int Operation::carry_out_natively(Job& job) {
    const Call* const equal = std::get_if<Call>(&call_);
    return equal != nullptr ? interposer::carry_out_natively(job, *equal)
                            : interposer::carry_out_natively(job, *std::get_if<UnequalCall>(&call_));
}

void Operation::plan_ahead(Job& job, MPI_Comm comm) {
    std::visit(
        [&](auto call) {
            call.comm = comm;
            interposer::plan_ahead(job, call);
        },
        call_);
}

int Operation::carry_out(Job& job, MPI_Comm comm) {
    return std::visit(
        [&](auto call) {
            call.comm = comm;
            return interposer::carry_out(job, call);
        },
        call_);
}

}  // namespace aapc::interposer
