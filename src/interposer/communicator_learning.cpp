// How a communicator learns in the program's own calls.
#include <algorithm>

#include "aapc/topology/bound.hpp"
#include "interposer/communicator.hpp"
#include "interposer/expectations.hpp"
#include "interposer/taught.hpp"
#include "mpi/have_memory.hpp"
#include "selection/learned.hpp"

namespace aapc::interposer {

namespace {

constexpr std::size_t most_candidates = 3;  // beside the MPI's own

/// Calls `action` with the index of each range that blocks of about so many bytes may belong to, the one that they do
/// belong to first.
template <class Action>
void for_each_range_about(const selection::Decision& decision, std::int64_t block_bytes, Action action) {
    const std::size_t own = decision.range_of(block_bytes);
    const std::size_t first = decision.range_of(std::max<std::int64_t>(block_bytes / uncertainty_of_sizes, 1));
    const std::size_t last =
        decision.range_of(std::min(block_bytes * uncertainty_of_sizes, selection::largest_scheduled_block));
    action(own);
    for (std::size_t range = first; range <= last; ++range) {
        if (range != own) {
            action(range);
        }
    }
}

}  // namespace

void CommunicatorState::begin_to_learn(const Bound& bound, std::int64_t calls_before) {
    const bool anybody = std::any_of(decided_.slots.begin(), decided_.slots.end(),
                                     [](const Slot& slot) { return !slot.method.native(); });
    if (anybody && job_->configuration().adapt && decided_.decision.basis() == selection::Decision::Basis::rule) {
        const double set_up = expected_set_up_seconds(bound, ranks_);
        expected_set_up_seconds_ = set_up;
        const OwnCalls::Prices prices = {set_up, expected_agreement_seconds(bound, ranks_)};
        own_calls_ = std::make_unique<OwnCalls>(prices, calls_before);
        learned_before_ = job_->learned_before(placement_, false);
        Shown shown = job_->shown_on_others(placement_, false);
        if (learning::Learner goes_on = shown.learner.continued(set_up); !goes_on.classes().empty()) {
            equal_digest_ = goes_on.digest();
            shown_calls_ = shown.calls;
            shown_methods_ = std::move(shown.methods);
            shown_ = std::make_unique<OwnCalls>(prices, std::move(goes_on));
        }
    }
}

std::uint64_t CommunicatorState::shown_digest() const {
    // The factor keeps apart what was shown of one kind and of the other.
    constexpr std::uint64_t factor = 0x9e3779b97f4a7c15U;
    return equal_digest_ + factor * (unequal_ ? unequal_->shown_digest() : 0);
}

std::vector<Method> CommunicatorState::slot_methods() const {
    std::vector<Method> methods;
    methods.reserve(decided_.slots.size());
    for (const Slot& slot : decided_.slots) {
        methods.push_back(slot.method);
    }
    return methods;
}

void CommunicatorState::go_on(bool all_have_it) {
    const bool same_methods =
        std::equal(shown_methods_.begin(), shown_methods_.end(), decided_.slots.begin(), decided_.slots.end(),
                   [](const Method& shown, const Slot& slot) { return shown == slot.method; });
    if (all_have_it && shown_ && same_methods) {
        own_calls_ = std::move(shown_);
    } else {
        shown_calls_ = 0;
    }
    shown_.reset();
}

std::int64_t CommunicatorState::calls_that_show(bool unequal) const {
    if (unequal) {
        return unequal_ && unequal_->learner() != nullptr ? calls_of(*unequal_->learner()) : 0;
    }
    return own_calls_ ? calls_of(own_calls_->learner()) : 0;
}

Shown CommunicatorState::shown(bool unequal) const {
    if (unequal) {
        return unequal_ ? unequal_->shown() : Shown();
    }
    return own_calls_ ? Shown{slot_methods(), own_calls_->learner(), calls_of(own_calls_->learner())} : Shown();
}

bool CommunicatorState::has_candidates(std::int64_t block_bytes) const {
    bool found = false;
    for_each_range_about(decided_.decision, block_bytes, [&](std::size_t range) {
        found = found || !decided_.slots[decided_.slot_of_range[range]].method.native();
    });
    return found;
}

/// 0: no more is known than that it takes as long as the links need.
double CommunicatorState::least_seconds(const Method& method, std::int64_t block_bytes) const {
    if (method.native() || method.synchronisation.kind != Synchronisation::Kind::timed || seconds_per_byte_ <= 0) {
        return 0;
    }
    return least_seconds_by_clock(seconds_per_byte_ * static_cast<double>(block_bytes), block_bytes,
                                  least_start(job_->configuration().start_seconds));
}

learning::Prospect CommunicatorState::prospect(std::size_t slot, std::int64_t block_bytes) const {
    const Method& method = decided_.slots[slot].method;
    const bool is_there = decided_.slots[slot].tried || method.native();
    return {slot, is_there ? 0 : expected_set_up_seconds_, least_seconds(method, block_bytes)};
}

learning::Beginning CommunicatorState::beginning(std::int64_t block_bytes) const {
    learning::Beginning found;
    const auto add = [&](std::size_t slot) {
        const bool is_known = std::any_of(found.prospects.begin(), found.prospects.end(),
                                          [&](const learning::Prospect& one) { return one.method == slot; });
        if (!is_known && found.prospects.size() <= most_candidates) {
            found.prospects.push_back(prospect(slot, block_bytes));
        }
    };
    add(decided_.slot_of_range[decided_.decision.range_of(0)]);  // blocks of no byte are always native
    for_each_range_about(decided_.decision, block_bytes,
                         [&](std::size_t range) { add(decided_.slot_of_range[range]); });
    found.size = block_bytes;
    found.least_seconds = seconds_per_byte_ * static_cast<double>(block_bytes);
    if (found.prospects.size() > 1) {
        begin_with_what_is_known(block_bytes, found);
    }
    return found;
}

/// The winner of earlier jobs begins, also where the rule would not think of it.
void CommunicatorState::begin_with_what_is_known(std::int64_t block_bytes, learning::Beginning& found) const {
    const Method* const known =
        learned_before_ != nullptr ? selection::learned_method(*learned_before_, block_bytes) : nullptr;
    const auto slot = std::find_if(decided_.slots.begin(), decided_.slots.end(),
                                   [&](const Slot& one) { return known != nullptr && one.method == *known; });
    if (slot == decided_.slots.end()) {
        return;
    }
    const auto index = static_cast<std::size_t>(slot - decided_.slots.begin());
    const auto among = std::find_if(found.prospects.begin(), found.prospects.end(),
                                    [&](const learning::Prospect& one) { return one.method == index; });
    found.winner = static_cast<std::size_t>(among - found.prospects.begin());
    if (among == found.prospects.end()) {
        found.prospects.push_back(prospect(index, block_bytes));
    }
}

bool CommunicatorState::exchange_results(MPI_Comm comm) {
    if (own_calls_->is_in_flight()) {
        const mpi::Agreed agreed = own_calls_->collect();
        noted_.waited_seconds = own_calls_->waited_seconds();
        if (agreed.error != MPI_SUCCESS) {
            return false;
        }
        own_calls_->learn(agreed);
    }
    if (own_calls_->is_full()) {
        own_calls_->post(comm, {});
    }
    return true;
}

bool CommunicatorState::begin_class(const Call& call) {
    const bool begun = mpi::have_memory_for([&] { own_calls_->begin(beginning(call.block_bytes)); });
    if (!has_candidates(call.block_bytes)) {
        return begun;
    }
    beginning_of_class_.post(call.comm, {.agrees = begun});
    // A candidate may serve the first call, so all ranks have to have the class. A rank without memory waits as well.
    return begun && own_calls_->begins_native(call.block_bytes) ? true : beginning_of_class_.collect().all;
}

CommunicatorState::Choice CommunicatorState::choose_by_learning(const Call& call, const Refusals& refusals) {
    learning_failed_ = learning_failed_ || (beginning_of_class_.is_posted() && !beginning_of_class_.collect().all);
    if (learning_failed_) {
        return {nullptr, Outcome::unavailable};
    }
    if (const auto slot = own_calls_->resting_method(call.block_bytes)) {
        Choice choice = choose_slot(decided_.slots[*slot], call, refusals);
        // Until the ranks have agreed, what is learned here may be replaced (go_on()), and the next call is collective.
        choice.repeats = has_begun_ && decided_.slots[*slot].method.native();
        choice.rest = own_calls_->rest();
        return choice;
    }
    const bool known = own_calls_->knows(call.block_bytes);
    if (!known && !has_candidates(call.block_bytes)) {
        static_cast<void>(
            begin_class(call));  // for the summary; without memory for it, it is the MPI's own all the same
        return {nullptr, why_native_};
    }
    // Before the ranks agree on anything: a rank that goes to the MPI instead would be missed.
    if (refusals.refuse(call)) {
        return {nullptr, Outcome::arguments};
    }
    if ((!known && !begin_class(call)) || !exchange_results(call.comm)) {
        learning_failed_ = true;
        return {nullptr, Outcome::unavailable};
    }
    const OwnCalls::Turn turn = own_calls_->take_turn(call.block_bytes);
    Slot& slot = decided_.slots[turn.method];
    if (slot.method.native()) {
        return {nullptr, why_native_, turn.measured};
    }
    if (!slot.tried) {
        const double before = PMPI_Wtime();
        made(call.comm, slot);
        own_calls_->note_set_up(PMPI_Wtime() - before);
    }
    if (!slot.exchange) {
        own_calls_->withdraw();
        return {nullptr, Outcome::unavailable};
    }
    slot.used = true;
    return {slot.exchange.get(), Outcome::exchanged, turn.measured, slot.recorded_as};
}

std::vector<Tuning> CommunicatorState::taught() const {
    std::vector<Tuning> all;
    const auto add = [&](std::optional<Tuning> taught, bool unequal) {
        if (taught) {
            taught->fingerprint = job_->fingerprint(placement_);
            taught->fingerprint.unequal = unequal;
            all.push_back(std::move(*taught));
        }
    };
    if (own_calls_) {
        const auto method_of = [&](std::size_t slot) { return decided_.slots[slot].method; };
        add(tuning_of(own_calls_->learner(), method_of, learning::first_of), false);
    }
    if (unequal_) {
        add(unequal_->taught(), true);
    }
    return all;
}

learning::Fastest CommunicatorState::fastest() const {
    const auto equal = own_calls_ ? own_calls_->learner().fastest() : learning::Fastest();
    const learning::Learner* const learner = unequal_ ? unequal_->learner() : nullptr;
    const auto unequal = learner != nullptr ? learner->fastest() : learning::Fastest();
    return equal.least_seconds * unequal.seconds >= unequal.least_seconds * equal.seconds ? equal : unequal;
}

std::optional<learning::Summary> CommunicatorState::learned() const {
    std::optional<learning::Summary> sum = own_calls_ ? std::optional(own_calls_->learner().summary()) : std::nullopt;
    if (const learning::Learner* const unequal = unequal_ ? unequal_->learner() : nullptr) {
        sum = sum.value_or(learning::Summary());
        *sum += unequal->summary();
    }
    return sum;
}

}  // namespace aapc::interposer
