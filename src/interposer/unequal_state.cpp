#include "interposer/unequal_state.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "aapc/input/units.hpp"
#include "aapc/topology/bound.hpp"
#include "interposer/expectations.hpp"
#include "interposer/long_calls.hpp"
#include "interposer/remarks.hpp"
#include "interposer/taught.hpp"
#include "mpi/complaints.hpp"
#include "mpi/have_memory.hpp"
#include "mpi/ranks.hpp"
#include "mpi/rest.hpp"
#include "mpi/returned_errors.hpp"
#include "selection/crossover.hpp"
#include "selection/rule.hpp"

namespace aapc::interposer {

namespace {

using mpi::have_memory_for;

/// Throws std::bad_alloc.
Expected<Prepared> prepare_unequal(const Network& network, const Placement& placement) {
    const auto method = selection::method_for_unequal(network.kind());
    if (!method) {
        return failure(method.error());
    }
    return selection::prepare_for_unequal(network, placement, network_bound(network, placement), *method);
}

}  // namespace

UnequalState::UnequalState(MPI_Comm comm, const Network& network, const Placement& placement,
                           const selection::Configuration& configuration, const Tuning* learned_before,
                           const Shown& shown, std::function<mpi::MachineMemory*()> machine_memory)
    : network_(network),
      placement_(placement),
      use_(configuration.unequal),
      inquiry_(configuration.unequal),
      start_seconds_(configuration.start_seconds),
      says_more_(configuration.verbosity >= 1),
      is_first_rank_(mpi::rank_in(comm) == 0),
      shares_machines_(mpi::some_machine_is_shared(placement)),
      machine_memory_(std::move(machine_memory)) {
    if (use_ == selection::UnequalUse::automatic && configuration.tuning && configuration.tuning->fingerprint.unequal &&
        selection::has_shape(network, placement, *configuration.tuning)) {
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
    const Bound bound = network_bound(network_, placement_);
    equal_seconds_per_byte_ = bound.seconds_per_byte;
    if (use_ == selection::UnequalUse::automatic && configuration.adapt && tuning_ == nullptr) {
        begin_to_learn(bound, learned_before, shown);
    }
    // Where it is measured, it is measured for all calls that it may matter for.
    const bool measures = !start_seconds_ && !learning_ && tuning_ == nullptr;
    crossover_ = selection::unequal_crossover(
        network_, placement_, bound, measures ? std::optional(selection::least_start_seconds) : start_seconds_);
    buffers_ = std::make_unique<UnequalBuffers>(static_cast<int>(placement_.participants()));
    agreement_ = std::make_unique<mpi::DemandAgreement>(std::move(*loads), mpi::rank_in(comm));
}

void UnequalState::begin_to_learn(const Bound& bound, const Tuning* learned_before, const Shown& shown) {
    const auto ranks = static_cast<int>(placement_.participants());
    const ExpectedByClock expected = {expected_unequal_set_up_seconds(bound, ranks),
                                      expected_agreement_seconds(bound, ranks), least_start(start_seconds_)};
    learning_.emplace(learned_before, bound.seconds_per_byte, expected);
    if (learning::UnequalLearner goes_on = shown.unequal_learner.continued(expected.set_up_seconds);
        !goes_on.classes().empty()) {
        shown_digest_ = goes_on.digest();
        shown_calls_ = shown.calls;
        by_clock_ = shown.methods.back();
        shown_.emplace(learned_before, bound.seconds_per_byte, expected, std::move(goes_on));
    }
    unasked_.emplace(static_cast<std::size_t>(placement_.participants()));
}

void UnequalState::begin(bool all_were_shown_the_same) {
    if (all_were_shown_the_same && shown_) {
        learning_ = std::move(shown_);
        unasked_->clear();
        say_what_was_shown();
    } else {
        shown_calls_ = 0;
    }
    shown_.reset();
}

void UnequalState::note_common_moment(double seconds) {
    if (agreement_) {
        agreement_->note_common_moment(seconds);
    }
}

void UnequalState::note_later_common_moment() {
    if (learning_ && shown_calls_ == 0) {
        unasked_->clear();
        learning_->begin_again();
    }
    note_common_moment(mpi::now_seconds());
}

void UnequalState::say_what_was_shown() const {
    if (says_more_ && is_first_rank_) {
        static_cast<void>(have_memory_for([&] {
            say(
                fmt::format("communicator of {} ranks: unequal messages begin with what {} calls on other "
                            "communicators have shown",
                            placement_.participants(), shown_calls_));
        }));
    }
}

UnequalState::Choice UnequalState::decide(const UnequalCall& call, const Refusals& refusals) {
    waited_seconds_ = -1;
    if (unavailable_) {
        return {Outcome::unavailable};
    }
    if (learning_ && learning_->hears_before_next_call()) {
        hear_in_passing();
    }
    const auto opening = learning_ ? learning_->begin_call() : UnequalLearning::Opening::asked;
    if (opening != UnequalLearning::Opening::asked) {
        return choose_unasked(opening, call, refusals);
    }
    is_apart_ = false;
    if (!inquiry_.asks()) {
        return {Outcome::size};
    }
    Choice choice{Outcome::size};
    bool again = false;
    if (const auto obstacle = agree(call, refusals)) {
        choice.outcome = *obstacle;
    } else {
        choice = choose();
        // Whoever learns says by himself which calls are not asked about.
        again = learning_ && worth(agreed_.bound);
    }
    if (choice.outcome == Outcome::size && start_is_due()) {
        learn_start(call.comm);
        if (const auto obstacle = agree(call, refusals)) {
            choice = {*obstacle};
        } else {
            choice = choose();
        }
    }
    if (choice.outcome == Outcome::exchanged && exchange_ == nullptr) {
        // The agreement holds for what has been prepared, and the first time that is less than it takes.
        const double begin = mpi::now_seconds();
        make_exchange(call.comm);
        if (exchange_) {
            learn_start(call.comm);
            const DemandBound without_headers = agreed_.bound;
            if (const auto obstacle = agree(call, refusals)) {
                choice = {*obstacle};
            } else if (learning_) {
                learning_->note_headers(without_headers, agreed_.bound);
            }
        } else {
            choice = {Outcome::unavailable};
        }
        if (learning_) {
            learning_->note_set_up(static_cast<std::int64_t>(1e9 * (mpi::now_seconds() - begin)));
        } else if (choice.outcome == Outcome::exchanged) {
            choice = choose();
        }
    }
    inquiry_.learn(choice.outcome == Outcome::exchanged || again);
    if (choice.outcome != Outcome::exchanged) {
        agreements_in_vain_seconds_ += 1e-9 * static_cast<double>(agreement_->nanoseconds());
        ++agreements_in_vain_;
    }
    return choice;
}

void UnequalState::tell_in_passing(MPI_Comm comm) {
    mpi::PastClaim claim = unasked_->claim();
    // Without memory for what follows from it nobody is to learn from it.
    memory_to_hear_ = UnequalLearning::memory_for_a_turn();
    claim.unknown = claim.unknown || memory_to_hear_ == nullptr;
    const mpi::ReturnedErrors returned(comm);
    static_cast<void>(agreement_->tell(comm, claim));
    unasked_->clear();
}

void UnequalState::hear_in_passing() {
    if (!agreement_ || !agreement_->is_telling()) {
        return;
    }
    mpi::AgreedPast past;
    if (agreement_->hear(past) != MPI_SUCCESS) {
        return;
    }
    memory_to_hear_.reset();
    if (!may_be_worth(past) && learning_->hear_in_vain()) {
        unasked_->clear();
        return;
    }
    past.known = past.known && worth(past.bound);
    static_cast<void>(have_memory_for([&] { learning_->hear_in_passing(past, exchange_ != nullptr); }));
}

UnequalState::Choice UnequalState::choose_unasked(UnequalLearning::Opening opening, const UnequalCall& call,
                                                  const Refusals& refusals) {
    is_apart_ = opening == UnequalLearning::Opening::apart;
    if (learning_->tells_in_passing()) {
        tell_in_passing(call.comm);
    }
    if (is_apart_) {
        if (buffers_->read(call, refusals)) {
            unasked_->begin(buffers_->bytes());
        } else {
            unasked_->begin_unknown();
        }
    }
    return {Outcome::size, is_apart_};
}

void UnequalState::note_time(std::int64_t nanoseconds) {
    if (!is_apart_) {
        learning_->note_call(nanoseconds);
        return;
    }
    const std::int64_t end = agreement_->nanoseconds_since_common_moment();
    unasked_->note_time(end - nanoseconds, end);
}

std::optional<Outcome> UnequalState::agree(const UnequalCall& call, const Refusals& refusals) {
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
        claim.lacks_memory = claim.lacks_memory || UnequalLearning::memory_for_a_turn() == nullptr;
        learning_->tell(claim);
        claim.past = unasked_->claim();
    }
    const CarriedOut carried_out(name_of(call.routine), call.comm, -1);
    const mpi::ReturnedErrors returned(call.comm);
    agreed_.past = {};
    const int error = agreement_->agree(call.comm, claim, agreed_);
    if (learning_) {
        unasked_->clear();
        agreed_.past.known = agreed_.past.known && worth(agreed_.past.bound);
        learning_->hear_past(agreed_);
    }
    if (error != MPI_SUCCESS || agreed_.lacks_memory) {
        return Outcome::unavailable;
    }
    waited_seconds_ = std::max(waited_seconds_, 0.0) + 1e-9 * static_cast<double>(agreement_->nanoseconds());
    return agreed_.refused ? std::optional(Outcome::arguments) : std::nullopt;
}

bool UnequalState::worth(const DemandBound& bound) const {
    // Where calls show what is faster, those that the rule leaves out by little are worth a try, and what an agreement
    // costs shows in their times.
    constexpr double uncertainty_of_bounds = 4;
    return learning_ ? selection::worth_exchanging(use_, bound, 0, crossover_, uncertainty_of_bounds)
                     : selection::worth_exchanging(use_, bound, agreed_.cost_seconds, crossover_);
}

bool UnequalState::may_be_worth(const mpi::AgreedPast& past) const {
    if (past.known) {
        return worth(past.bound);
    }
    // Loads are linear: of calls that differ none has more than all together.
    const auto calls = static_cast<std::int64_t>(past.calls);
    DemandBound together = past.bound;
    together.nanoseconds *= calls;
    together.rest_nanoseconds = together.nanoseconds;
    return !past.described || worth(together);
}

UnequalState::Choice UnequalState::choose() {
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
    learning_->hear(agreed_);
    UnequalLearning::Turn turn;
    if (!have_memory_for([&] { turn = learning_->take_turn(agreed_, exchange_ != nullptr); })) {
        return {Outcome::unavailable};
    }
    return {turn.by_clock ? Outcome::exchanged : Outcome::size, turn.measured};
}

void UnequalState::make_exchange(MPI_Comm comm) {
    Expected<Prepared> prepared = failure({.problem = mpi::no_memory});
    static_cast<void>(have_memory_for([&] {
        prepared = prepare_unequal(network_, placement_);
        method_ = prepared ? to_string(prepared->method) : "";
    }));
    auto made = mpi::UnequalExchange::make(comm, prepared, placement_, &network_,
                                           shares_machines_ ? machine_memory_() : nullptr);
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

bool UnequalState::start_is_due() {
    if (!start_.seconds() || exchange_ == nullptr || agreed_.refused) {
        return false;
    }
    const auto least = selection::unequal_crossover(network_, placement_, network_bound(network_, placement_),
                                                    selection::least_start_seconds);
    return selection::worth_exchanging(use_, agreed_.bound, agreed_.cost_seconds, least) && start_.is_due_again();
}

void UnequalState::learn_start(MPI_Comm comm) {
    if (use_ != selection::UnequalUse::automatic || start_seconds_ || learning_ || tuning_ != nullptr) {
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
    crossover_ =
        selection::unequal_crossover(network_, placement_, network_bound(network_, placement_), start_.seconds());
    if (says_more_ && mpi::rank_in(comm) == 0) {
        static_cast<void>(have_memory_for([&] {
            say(fmt::format("communicator of {} ranks: unequal messages are worth a start of {} from {} of bound on",
                            ranks, duration_text(*start_.seconds(), significant(3)),
                            duration_text(crossover_.usual_seconds, significant(3))));
        }));
    }
}

std::optional<Tuning> UnequalState::taught() const {
    if (!learning_) {
        return std::nullopt;
    }
    return tuning_of(
        learning_->learner(),
        [&](std::size_t candidate) { return candidate == UnequalLearning::own ? Method{} : method_by_clock(); },
        [&](int key) { return learning_->size_of(learning::first_of(key)); });
}

Shown UnequalState::shown() const {
    if (!learning_) {
        return {};
    }
    return {{Method{}, method_by_clock()}, {}, learning_->learner(), calls_of(learning_->learner())};
}

int UnequalState::run(const UnequalCall& call) {
    const CarriedOut carried_out(name_of(call.routine), call.comm, -1);
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
