#include "interposer/unequal_messages.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <new>
#include <string_view>
#include <utility>
#include <vector>

#include "aapc/input/units.hpp"
#include "aapc/topology/bound.hpp"
#include "interposer/long_calls.hpp"
#include "interposer/remarks.hpp"
#include "mpi/complaints.hpp"
#include "mpi/have_memory.hpp"
#include "mpi/ranks.hpp"
#include "mpi/rest.hpp"
#include "mpi/returned_errors.hpp"
#include "selection/crossover.hpp"
#include "selection/rule.hpp"
#include "selection/start.hpp"

namespace aapc::interposer {

namespace {

using mpi::have_memory_for;

/// Throws std::bad_alloc.
Expected<Prepared> prepare_unequal(const Network& network, const Placement& placement, const Bound& bound) {
    const auto method = selection::method_for_unequal(network.kind());
    if (!method) {
        return failure(method.error());
    }
    return selection::prepare_for_unequal(network, placement, bound, *method);
}

}  // namespace

UnequalMessages::UnequalMessages(MPI_Comm comm, const Placement& placement,
                                 const selection::Configuration& configuration, CallLearning::Before before,
                                 ExchangeMaker& maker)
    : network_(maker.timetables().network()),
      placement_(placement),
      use_(configuration.unequal),
      inquiry_(configuration.unequal),
      says_start_(configuration.start_seconds.has_value()),
      start_costs_(selection::start_costs(maker.timetables().bound(), placement_.participants(), before.message_seconds,
                                          configuration.start_seconds)),
      start_(start_costs_.least_seconds),
      says_more_(configuration.verbosity >= 1),
      is_first_rank_(mpi::rank_in(comm) == 0),
      shares_machines_(mpi::some_machine_is_shared(placement)),
      maker_(maker) {
    if (use_ == selection::UnequalUse::automatic && configuration.tuning && configuration.tuning->fingerprint.unequal &&
        selection::has_shape(network_, placement, *configuration.tuning)) {
        tuning_ = &*configuration.tuning;
    }
    auto loads = LinkLoads::find(network_, placement_);
    if (!loads) {
        // The same on all ranks.
        unavailable_ = true;
        if (says_more_ && is_first_rank_) {
            say(fmt::format("unequal messages are left to the MPI: {}", to_string(loads.error())));
        }
        return;
    }
    const Bound& bound = maker.timetables().bound();
    equal_seconds_per_byte_ = bound.seconds_per_byte;
    const bool learns = use_ == selection::UnequalUse::automatic && configuration.adapt && tuning_ == nullptr;
    // Where it is measured, it is measured for all calls that it may matter for.
    const bool measures = !says_start_ && !learns && tuning_ == nullptr;
    crossover_ = selection::unequal_crossover(network_, placement_, bound,
                                              measures ? start_costs_.least_seconds : start_costs_.usual_seconds);
    buffers_ = std::make_unique<UnequalBuffers>(static_cast<int>(placement_.participants()));
    agreement_ = std::make_unique<mpi::DemandAgreement>(std::move(*loads), mpi::rank_in(comm));
    if (learns) {
        learning_ = std::make_unique<UnequalLearning>(*agreement_, bound, static_cast<int>(placement_.participants()),
                                                      crossover_, start_costs_.least_seconds, std::move(before));
    }
}

void UnequalMessages::begin(bool all_were_shown_the_same) {
    if (!learning_) {
        return;
    }
    learning_->resume(all_were_shown_the_same);
    if (learning_->shown_calls() > 0 && says_more_ && is_first_rank_) {
        static_cast<void>(have_memory_for([&] {
            say(
                fmt::format("communicator of {} ranks: unequal messages begin with what {} calls on other "
                            "communicators have shown",
                            placement_.participants(), learning_->shown_calls()));
        }));
    }
}

Verdict UnequalMessages::decide(const UnequalCall& call, const Refusals& refusals) {
    waited_seconds_ = -1;
    if (unavailable_) {
        return {Outcome::unavailable};
    }
    if (learning_) {
        if (!learning_->exchange_results(call.comm)) {
            unavailable_ = true;
            return {Outcome::unavailable};
        }
        Chooser& chooser = learning_->chooser();
        if (!chooser.asks()) {
            if (chooser.measures_unsized()) {
                const bool is_read = buffers_->read(call, refusals);
                const mpi::MessageBytes bytes = buffers_->bytes();
                learning_->note_bytes(is_read ? &bytes : nullptr);
            }
            return {Outcome::size, nullptr, chooser.measures_unsized()};
        }
    }
    if (!inquiry_.asks()) {
        return {Outcome::size};
    }
    Verdict verdict{Outcome::size};
    bool again = false;
    const auto obstacle = agree(call, refusals);
    // All ranks have posted, so this waits for none.
    if (learning_ && !learning_->collect()) {
        unavailable_ = true;
        return {Outcome::unavailable};
    }
    if (obstacle) {
        verdict.outcome = *obstacle;
    } else {
        verdict = choose();
        // Learning says which calls are agreed on.
        again = learning_ && worth(agreed_.bound);
    }
    if (verdict.outcome == Outcome::size && start_is_due()) {
        learn_start(call.comm);
        if (const auto prevented = agree(call, refusals)) {
            verdict = {*prevented};
        } else {
            verdict = choose();
        }
    }
    if (verdict.outcome == Outcome::exchanged && exchange_ == nullptr) {
        const bool timed = verdict.timed;
        verdict = set_up(call, refusals);
        verdict.timed = timed && verdict.outcome == Outcome::exchanged;
    }
    inquiry_.learn(verdict.outcome == Outcome::exchanged || again);
    if (verdict.outcome != Outcome::exchanged) {
        agreements_in_vain_seconds_ += 1e-9 * static_cast<double>(agreement_->nanoseconds());
        ++agreements_in_vain_;
    }
    return verdict;
}

std::optional<Outcome> UnequalMessages::make_ready(const UnequalCall& call, const Refusals& refusals) {
    make_exchange(call.comm);
    if (!exchange_) {
        return Outcome::unavailable;
    }
    learn_start(call.comm);
    const DemandBound without_headers = agreed_.bound;
    const auto prevented = agree(call, refusals);
    if (!prevented && learning_ && without_headers.nanoseconds > 0 && agreed_.bound.nanoseconds > 0) {
        learning_->note_headers(agreed_.bound.seconds() / without_headers.seconds());
    }
    return prevented;
}

void UnequalMessages::plan_ahead(const UnequalCall& call, const Refusals& refusals) {
    if (unavailable_ || exchange_ || agree(call, refusals)) {
        return;
    }
    const bool may_serve = learning_ ? worth(agreed_.bound) : choose().outcome == Outcome::exchanged;
    if (may_serve && !make_ready(call, refusals) && says_more_ && is_first_rank_) {
        static_cast<void>(have_memory_for([&] {
            say(fmt::format(
                "communicator of {} ranks: set up before the first start, for unequal messages with a bound of {}: {}",
                placement_.participants(), duration_text(agreed_.bound.seconds(), significant(3)), method_));
        }));
    }
}

Verdict UnequalMessages::set_up(const UnequalCall& call, const Refusals& refusals) {
    // The agreement holds for what has been prepared, and the first time that is less than it takes.
    const double begin = mpi::now_seconds();
    const auto prevented = make_ready(call, refusals);
    Verdict verdict{prevented.value_or(Outcome::exchanged)};
    if (learning_) {
        learning_->chooser().note_set_up(mpi::now_seconds() - begin);
        if (verdict.outcome != Outcome::exchanged) {
            learning_->chooser().withdraw();
        }
    } else if (verdict.outcome == Outcome::exchanged) {
        verdict = choose();
    }
    return verdict;
}

std::optional<Outcome> UnequalMessages::agree(const UnequalCall& call, const Refusals& refusals) {
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
    if (learning_) {
        claim.lacks_memory = claim.lacks_memory || !UnequalLearning::has_memory();
    }
    const CarriedOut carried_out(name_of(call.routine), call.comm, -1);
    const mpi::ReturnedErrors returned(call.comm);
    const int error = agreement_->agree(call.comm, claim, agreed_);
    if (error != MPI_SUCCESS || agreed_.lacks_memory) {
        return Outcome::unavailable;
    }
    waited_seconds_ = std::max(waited_seconds_, 0.0) + 1e-9 * static_cast<double>(agreement_->nanoseconds());
    return agreed_.refused ? std::optional(Outcome::arguments) : std::nullopt;
}

bool UnequalMessages::worth(const DemandBound& bound) const {
    return learning_ ? learning_->worth(bound)
                     : selection::worth_exchanging(use_, bound, agreed_.cost_seconds, crossover_);
}

Verdict UnequalMessages::choose() {
    if (tuning_ != nullptr) {
        const Method& method =
            selection::tuned_method(*tuning_, std::llround(agreed_.bound.seconds() / equal_seconds_per_byte_));
        return {method.native() ? Outcome::size : Outcome::exchanged};
    }
    if (!worth(agreed_.bound)) {
        return {Outcome::size};
    }
    if (!learning_) {
        return {Outcome::exchanged};
    }
    const auto choice = learning_->choose(agreed_.bound);
    return choice ? Verdict{choice->by_clock ? Outcome::exchanged : Outcome::size, nullptr, choice->timed}
                  : Verdict{Outcome::unavailable};
}

void UnequalMessages::make_exchange(MPI_Comm comm) {
    Expected<Prepared> prepared = failure({.problem = mpi::no_memory});
    static_cast<void>(have_memory_for([&] {
        prepared = prepare_unequal(network_, placement_, maker_.timetables().bound());
        method_ = prepared ? to_string(prepared->method) : "";
    }));
    auto made =
        mpi::UnequalExchange::make(comm, prepared, placement_, &network_,
                                   shares_machines_ ? maker_.machine_memory(comm) : nullptr, maker_.own_wire(comm));
    if (mpi::rank_in(comm) == 0) {
        maker_.say_why_not_by_wire();
    }
    if (made) {
        exchange_ = std::move(*made);
        if (learning_) {
            learning_->note_exchange(exchange_->method());
        }
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

bool UnequalMessages::start_is_due() {
    if (!start_.seconds() || exchange_ == nullptr || agreed_.refused) {
        return false;
    }
    const auto least =
        selection::unequal_crossover(network_, placement_, maker_.timetables().bound(), start_costs_.least_seconds);
    return selection::worth_exchanging(use_, agreed_.bound, agreed_.cost_seconds, least) && start_.is_due_again();
}

void UnequalMessages::learn_start(MPI_Comm comm) {
    if (use_ != selection::UnequalUse::automatic || says_start_ || learning_ || tuning_ != nullptr) {
        return;
    }
    // One byte for everybody, as with equal messages.
    const auto ranks = static_cast<std::size_t>(placement_.participants());
    std::vector<std::int64_t> one;
    std::vector<std::byte> memory;
    std::vector<const std::byte*> from;
    std::vector<std::byte*> to;
    mpi::DemandClaim claim;
    WireCounts counts;
    claim.lacks_memory = !have_memory_for([&] {
        one.assign(ranks, 1);
        memory.resize(2 * ranks);
        for (std::size_t rank = 0; rank < ranks; ++rank) {
            from.push_back(&memory[rank]);
            to.push_back(&memory[ranks + rank]);
        }
        claim.bytes = {one, one};
        counts = exchange_->on_the_wire(claim.bytes);
        exchange_->prepare(claim.bytes);
    });
    claim.wire_to = counts.to;
    claim.wire_from = counts.from;
    mpi::AgreedDemand agreed;
    double seconds = 0;
    const mpi::ReturnedErrors returned(comm);
    if (agreement_->agree(comm, claim, agreed) != MPI_SUCCESS || !agreed.possible() ||
        exchange_->measure_start(claim.bytes, {from, to}, agreed.bound, seconds) != MPI_SUCCESS) {
        return;
    }
    start_.note(seconds);
    crossover_ = selection::unequal_crossover(network_, placement_, maker_.timetables().bound(), start_.seconds());
    if (says_more_ && mpi::rank_in(comm) == 0) {
        static_cast<void>(have_memory_for([&] {
            say(fmt::format("communicator of {} ranks: unequal messages are worth a start of {} from {} of bound on",
                            ranks, duration_text(*start_.seconds(), significant(3)),
                            duration_text(crossover_.usual_seconds, significant(3))));
        }));
    }
}

int UnequalMessages::run(const UnequalCall& call) {
    const CarriedOut carried_out(name_of(call.routine), call.comm, -1);
    const double begin = mpi::now_seconds();
    if (const int error = buffers_->pack(call.comm); error != MPI_SUCCESS) {
        return error;
    }
    const int error = exchange_->run(buffers_->bytes(), buffers_->places(), agreed_.bound);
    if (error == mpi::Exchange::declined) {
        // Its connections have broken, and will not come back.
        unavailable_ = true;
        return error;
    }
    if (error != MPI_SUCCESS) {
        return mpi::raise(call.comm, error);
    }
    waited_seconds_ += exchange_->report().agreement_seconds;
    const double agreement = 1e-9 * static_cast<double>(agreement_->nanoseconds());
    agreements_seconds_ += agreement;
    exchanges_seconds_ += agreement + mpi::now_seconds() - begin;
    return buffers_->unpack(call.comm);
}

std::string UnequalMessages::report() const {
    std::string text;
    if (exchange_ && exchange_->plan().rank == 0 && exchanges_seconds_ > 0) {
        const mpi::ExchangeReport& last = exchange_->report();
        text = fmt::format(
            "communicator of {} ranks: unequal messages by the clock; last bound {}, pace {:.3f}, rank 0 late by "
            "{:.0f} "
            "µs; agreements took {:.1f} % of the time",
            placement_.participants(), duration_text(agreed_.bound.seconds(), significant(3)), last.pace,
            last.late_seconds * 1e6, 100 * agreements_seconds_ / exchanges_seconds_);
    }
    if (is_first_rank_ && agreements_in_vain_ > 0) {
        const std::string head = fmt::format("communicator of {} ranks: unequal messages: ", placement_.participants());
        text += fmt::format("{}{} agreements on calls that were left to the MPI took {}", text.empty() ? head : "; ",
                            agreements_in_vain_, duration_text(agreements_in_vain_seconds_, significant(3)));
    }
    return text;
}

}  // namespace aapc::interposer
