#include "interposer/unequal_state.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "aapc/input/units.hpp"
#include "aapc/topology/bound.hpp"
#include "interposer/long_calls.hpp"
#include "interposer/remarks.hpp"
#include "mpi/agreement.hpp"
#include "mpi/have_memory.hpp"
#include "mpi/ranks.hpp"
#include "mpi/rest.hpp"
#include "mpi/returned_errors.hpp"

namespace aapc::interposer {

namespace {

using mpi::all_agree;
using mpi::have_memory_for;

const char* routine_of(const UnequalCall& call) {
    return call.receive.types != nullptr ? "MPI_Alltoallw" : "MPI_Alltoallv";
}

/// Throws std::bad_alloc.
Expected<Prepared> prepare_unequal(const Network& network, const Placement& placement) {
    const auto method = selection::method_for_unequal(network.kind());
    if (!method) {
        return failure(method.error());
    }
    return selection::prepare_for_unequal(network, placement, network_bound(network, placement), *method);
}

}  // namespace

UnequalState::UnequalState(const Network& network, const Placement& placement,
                           const selection::Configuration& configuration)
    : network_(network),
      placement_(placement),
      use_(configuration.unequal),
      inquiry_(configuration.unequal),
      start_seconds_(configuration.start_seconds),
      says_more_(configuration.verbosity >= 1) {}

std::unique_ptr<UnequalState> UnequalState::make(MPI_Comm comm, const Network& network, const Placement& placement,
                                                 const selection::Configuration& configuration) {
    std::unique_ptr<UnequalState> state;
    const bool there = have_memory_for([&] {
        state.reset(new UnequalState(network, placement, configuration));
        state->set_up(comm);
    });
    if (!all_agree(comm, there)) {
        state.reset();
    }
    return state;
}

void UnequalState::set_up(MPI_Comm comm) {
    auto loads = LinkLoads::find(network_, placement_);
    if (!loads) {
        // The same on all ranks.
        unavailable_ = true;
        if (says_more_ && mpi::rank_in(comm) == 0) {
            say(fmt::format("unequal messages are left to the MPI: {}", to_string(loads.error())));
        }
        return;
    }
    crossover_seconds_ =
        selection::unequal_crossover_seconds(network_, placement_, network_bound(network_, placement_), start_seconds_);
    buffers_ = std::make_unique<UnequalBuffers>(static_cast<int>(placement_.participants()));
    agreement_ = std::make_unique<mpi::DemandAgreement>(std::move(*loads), mpi::rank_in(comm));
}

Outcome UnequalState::decide(const UnequalCall& call, const Refusals& refusals) {
    waited_seconds_ = -1;
    if (unavailable_) {
        return Outcome::unavailable;
    }
    if (!inquiry_.asks()) {
        return Outcome::size;
    }
    const bool made_now = exchange_ == nullptr;
    Outcome outcome = agree(call, refusals);
    if (outcome == Outcome::exchanged && made_now) {
        // The agreement holds for what has been prepared, and the first time that is less than it takes.
        make_exchange(call.comm);
        outcome = exchange_ ? agree(call, refusals) : Outcome::unavailable;
    }
    inquiry_.learn(outcome == Outcome::exchanged);
    return outcome;
}

Outcome UnequalState::agree(const UnequalCall& call, const Refusals& refusals) {
    mpi::DemandClaim claim;
    claim.last_nanoseconds = agreement_->nanoseconds();
    claim.refuses = !buffers_->read(call, refusals);
    claim.bytes = buffers_->bytes();
    claim.wire_to = claim.bytes.sent;
    claim.wire_from = claim.bytes.received;
    WireCounts counts;
    if (exchange_ && !claim.refuses) {
        claim.lacks_memory = !have_memory_for([&] {
            counts = exchange_->on_the_wire(claim.bytes);
            exchange_->prepare(claim.bytes);
        }) || !buffers_->make_room();
        claim.wire_to = counts.to;
        claim.wire_from = counts.from;
    }
    const CarriedOut carried_out(routine_of(call), call.comm, -1);
    const mpi::ReturnedErrors returned(call.comm);
    if (agreement_->agree(call.comm, claim, agreed_) != MPI_SUCCESS || agreed_.lacks_memory) {
        return Outcome::unavailable;
    }
    waited_seconds_ = std::max(waited_seconds_, 0.0) + 1e-9 * static_cast<double>(agreement_->nanoseconds());
    if (agreed_.refused) {
        return Outcome::arguments;
    }
    return selection::worth_exchanging(use_, agreed_.bound.seconds(), agreed_.cost_seconds, crossover_seconds_)
               ? Outcome::exchanged
               : Outcome::size;
}

void UnequalState::make_exchange(MPI_Comm comm) {
    Expected<Prepared> prepared = failure({.problem = mpi::no_memory});
    static_cast<void>(have_memory_for([&] {
        prepared = prepare_unequal(network_, placement_);
        method_ = prepared ? to_string(prepared->method) : "";
    }));
    auto made = mpi::UnequalExchange::make(comm, prepared, placement_, &network_);
    if (made) {
        exchange_ = std::move(*made);
        return;
    }
    unavailable_ = true;
    if (mpi::rank_in(comm) == 0) {
        std::string line;
        const bool worded = have_memory_for(
            [&] { line = fmt::format("{}; using the MPI's own MPI_Alltoallv", to_string(made.error())); });
        say(worded ? std::string_view(line) : no_memory_to_go_on);
    }
}

int UnequalState::run(const UnequalCall& call) {
    const CarriedOut carried_out(routine_of(call), call.comm, -1);
    const double begin = mpi::now_seconds();
    if (const int error = buffers_->pack(call.comm); error != MPI_SUCCESS) {
        return error;
    }
    if (const int error = exchange_->run(buffers_->bytes(), buffers_->places(), agreed_.bound); error != MPI_SUCCESS) {
        return mpi::raise(call.comm, error);
    }
    waited_seconds_ += exchange_->report().agreement_seconds;
    const double agreement = 1e-9 * static_cast<double>(agreement_->nanoseconds());
    agreements_seconds_ += agreement;
    exchanges_seconds_ += agreement + mpi::now_seconds() - begin;
    return buffers_->unpack(call.comm);
}

std::string UnequalState::report() const {
    if (!exchange_ || exchange_->plan().rank != 0 || exchanges_seconds_ <= 0) {
        return "";
    }
    const mpi::ExchangeReport& last = exchange_->report();
    return fmt::format(
        "communicator of {} ranks: unequal messages by the clock; last bound {}, pace {:.3f}, rank 0 late by {:.0f} µs;"
        " agreements took {:.1f} % of the time",
        placement_.participants(), duration_text(agreed_.bound.seconds(), significant(3)), last.pace,
        last.late_seconds * 1e6, 100 * agreements_seconds_ / exchanges_seconds_);
}

}  // namespace aapc::interposer
