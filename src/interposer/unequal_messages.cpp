#include "interposer/unequal_state.hpp"

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
#include "archive/learned.hpp"
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

/// More than a call needs to learn from what ranks have agreed on.
std::unique_ptr<std::byte[]> memory_to_learn() {
    constexpr std::size_t bytes = 65536;
    return std::unique_ptr<std::byte[]>(new (std::nothrow) std::byte[bytes]);
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
    const bool learns = use_ == selection::UnequalUse::automatic && configuration.adapt && tuning_ == nullptr;
    // Where it is measured, it is measured for all calls that it may matter for.
    const bool measures = !start_seconds_ && !learns && tuning_ == nullptr;
    crossover_ = selection::unequal_crossover(
        network_, placement_, bound, measures ? std::optional(selection::least_start_seconds) : start_seconds_);
    buffers_ = std::make_unique<UnequalBuffers>(static_cast<int>(placement_.participants()));
    agreement_ = std::make_unique<mpi::DemandAgreement>(std::move(*loads), mpi::rank_in(comm));
    if (learns) {
        begin_to_learn(bound, learned_before, shown);
    }
}

void UnequalState::begin_to_learn(const Bound& bound, const Tuning* learned_before, const Shown& shown) {
    const auto ranks = static_cast<int>(placement_.participants());
    learned_before_ = learned_before;
    expected_set_up_seconds_ = expected_unequal_set_up_seconds(bound, ranks);
    expected_agreement_seconds_ = expected_agreement_seconds(bound, ranks);
    const Chooser::Prices prices = {expected_set_up_seconds_, expected_agreement_seconds_};
    const std::size_t loads = agreement_->loads();
    learning_ = std::make_unique<Chooser>(prices, 0, Chooser::Sizes::nearest, loads);
    if (learned_before_ != nullptr) {
        learning_->ask_first();
    }
    if (learning::Learner resumed = shown.learner.continued(expected_set_up_seconds_); !resumed.classes().empty()) {
        shown_digest_ = resumed.digest();
        shown_calls_ = shown.calls;
        method_before_ = shown.methods.back();
        shown_ = std::make_unique<Chooser>(prices, std::move(resumed), Chooser::Sizes::nearest, loads);
    }
    past_bytes_.emplace(static_cast<std::size_t>(placement_.participants()));
}

void UnequalState::begin(bool all_were_shown_the_same) {
    if (all_were_shown_the_same && shown_) {
        learning_ = std::move(shown_);
        past_bytes_->clear();
        say_what_was_shown();
    } else {
        shown_calls_ = 0;
    }
    shown_.reset();
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

Verdict UnequalState::decide(const UnequalCall& call, const Refusals& refusals) {
    waited_seconds_ = -1;
    if (unavailable_) {
        return {Outcome::unavailable};
    }
    if (learning_) {
        if (!exchange_results(call.comm)) {
            unavailable_ = true;
            return {Outcome::unavailable};
        }
        if (!learning_->asks()) {
            if (learning_->measures_unsized()) {
                note_bytes(call, refusals);
            }
            return {Outcome::size, nullptr, learning_->measures_unsized()};
        }
    }
    if (!inquiry_.asks()) {
        return {Outcome::size};
    }
    Verdict verdict{Outcome::size};
    bool again = false;
    const auto obstacle = agree(call, refusals);
    // All ranks have posted, so this waits for none.
    if (learning_ && !collect()) {
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
        // The agreement holds for what has been prepared, and the first time that is less than it takes.
        const double begin = mpi::now_seconds();
        make_exchange(call.comm);
        if (exchange_) {
            learn_start(call.comm);
            const DemandBound without_headers = agreed_.bound;
            if (const auto prevented = agree(call, refusals)) {
                verdict = {*prevented};
                if (learning_) {
                    learning_->withdraw();
                }
            } else if (learning_ && without_headers.nanoseconds > 0 && agreed_.bound.nanoseconds > 0) {
                headers_ = agreed_.bound.seconds() / without_headers.seconds();
            }
        } else {
            verdict = {Outcome::unavailable};
        }
        if (learning_) {
            learning_->note_set_up(mpi::now_seconds() - begin);
        } else if (verdict.outcome == Outcome::exchanged) {
            verdict = choose();
        }
    }
    inquiry_.learn(verdict.outcome == Outcome::exchanged || again);
    if (verdict.outcome != Outcome::exchanged) {
        agreements_in_vain_seconds_ += 1e-9 * static_cast<double>(agreement_->nanoseconds());
        ++agreements_in_vain_;
    }
    return verdict;
}

void UnequalState::note_bytes(const UnequalCall& call, const Refusals& refusals) {
    if (buffers_->read(call, refusals)) {
        past_bytes_->add(buffers_->bytes());
    } else {
        past_bytes_->add_unknown();
    }
}

bool UnequalState::exchange_results(MPI_Comm comm) {
    if (!collect()) {
        return false;
    }
    if (learning_->is_full()) {
        post(comm);
    }
    return true;
}

void UnequalState::post(MPI_Comm comm) {
    const mpi::ReturnedErrors returned(comm);
    const std::size_t unsized = learning_->unsized_to_post();
    if (unsized == 0) {
        learning_->post(comm, {});
        return;
    }
    mpi::PastClaim claim = past_bytes_->claim();
    // Where another class has part of a block as well, these are not the bytes of this block.
    claim.unknown = claim.unknown || claim.calls != unsized;
    // Without memory for what follows from the result no rank learns from it.
    memory_to_learn_ = memory_to_learn();
    const mpi::PastNumbers numbers = agreement_->write_past(claim);
    learning_->post(comm, {memory_to_learn_ != nullptr, numbers.sums, numbers.maxima, numbers.loads});
    past_bytes_->clear();
}

bool UnequalState::collect() {
    if (!learning_->is_in_flight()) {
        return true;
    }
    const mpi::Agreed agreed = learning_->collect();
    memory_to_learn_.reset();
    if (agreed.error != MPI_SUCCESS) {
        return false;
    }
    if (!agreed.memory) {
        learning_->lose(false);
    } else if (learning_->unsized_in_flight() == 0) {
        learning_->learn(agreed);
    } else {
        learn_unsized(agreed);
    }
    return true;
}

void UnequalState::learn_unsized(const mpi::Agreed& agreed) {
    const auto calls = learning_->unsized_in_flight();
    const mpi::AgreedPast past = agreement_->read_past(learning_->agreement(), agreed, learning_->first_sum_beside(),
                                                       learning_->first_maximum_beside(), calls);
    if (!past.described) {
        if (std::exchange(is_undescribed_, true)) {
            learning_->lose_in_vain();
        } else {
            learning_->lose(true);
        }
        return;
    }
    is_undescribed_ = false;
    // Loads are linear: of calls that differ, none has more than all together.
    DemandBound most = past.bound;
    if (!past.alike) {
        most.nanoseconds *= static_cast<std::int64_t>(calls);
        most.rest_nanoseconds = most.nanoseconds;
    }
    if (!worth(most)) {
        learning_->lose_in_vain();
    } else if (past.alike && have_class(past.bound.nanoseconds)) {
        learning_->learn_unsized(agreed, past.bound.nanoseconds);
    } else {
        learning_->lose(true);
    }
}

bool UnequalState::have_class(std::int64_t nanoseconds) {
    return learning_->knows(nanoseconds) || have_memory_for([&] { learning_->begin(beginning(nanoseconds)); });
}

std::int64_t UnequalState::equal_size(std::int64_t nanoseconds) const {
    return std::max<std::int64_t>(std::llround(1e-9 * static_cast<double>(nanoseconds) / equal_seconds_per_byte_), 1);
}

learning::Beginning UnequalState::beginning(std::int64_t nanoseconds) const {
    const std::int64_t size = equal_size(nanoseconds);
    const double seconds = 1e-9 * static_cast<double>(nanoseconds);
    const auto [least, spread] =
        expected_unequal_by_clock(seconds, size, least_start(start_seconds_), expected_agreement_seconds_);
    learning::Beginning beginning;
    beginning.size = nanoseconds;
    beginning.least_seconds = seconds;
    beginning.publishes_early = true;
    beginning.prospects = {{native}, {by_clock, exchange_ ? 0 : expected_set_up_seconds_, least, spread}};
    const Method* const winner =
        learned_before_ != nullptr ? selection::learned_method(*learned_before_, size) : nullptr;
    if (winner != nullptr) {
        beginning.winner = winner->native() ? native : by_clock;
    }
    return beginning;
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
        claim.lacks_memory = claim.lacks_memory || memory_to_learn() == nullptr;
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

bool UnequalState::worth(const DemandBound& bound) const {
    // Where calls show what is faster, those that the rule leaves out by little are worth a try, and what an agreement
    // costs shows in their times.
    constexpr double uncertainty_of_bounds = 4;
    return learning_ ? selection::worth_exchanging(use_, bound, 0, crossover_, uncertainty_of_bounds)
                     : selection::worth_exchanging(use_, bound, agreed_.cost_seconds, crossover_);
}

Verdict UnequalState::choose() {
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
    const std::int64_t nanoseconds =
        std::max<std::int64_t>(std::llround(static_cast<double>(agreed_.bound.nanoseconds) / headers_), 1);
    if (!have_class(nanoseconds)) {
        return {Outcome::unavailable};
    }
    const learning::Trial trial = learning_->next(nanoseconds);
    const bool is_scheduled = learning_->method_of(trial) == by_clock;
    return {is_scheduled ? Outcome::exchanged : Outcome::size, nullptr, trial.measured};
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
        learning_->learner(), [&](std::size_t candidate) { return candidate == native ? Method{} : method_by_clock(); },
        [&](int key) { return equal_size(learning::first_of(key)); });
}

Shown UnequalState::shown() const {
    if (!learning_) {
        return {};
    }
    return {{Method{}, method_by_clock()}, learning_->learner(), calls_of(learning_->learner())};
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
