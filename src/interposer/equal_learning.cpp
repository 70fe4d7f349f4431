#include "interposer/equal_learning.hpp"

#include <algorithm>
#include <utility>

#include "archive/learned.hpp"
#include "interposer/candidates.hpp"
#include "interposer/expectations.hpp"
#include "interposer/taught.hpp"
#include "mpi/have_memory.hpp"

namespace aapc::interposer {

EqualLearning::EqualLearning(const Decided& decided, const Bound& bound, int ranks,
                             std::optional<double> said_start_seconds, Before before)
    : decided_(&decided),
      seconds_per_byte_(bound.seconds_per_byte),
      said_start_seconds_(said_start_seconds),
      set_up_seconds_(expected_set_up_seconds(bound, ranks)),
      learned_before_(before.learned) {
    const Chooser::Prices prices = {set_up_seconds_, expected_agreement_seconds(bound, ranks)};
    chooser_ = std::make_unique<Chooser>(prices, before.calls);
    if (learning::Learner resumed = before.shown.learner.continued(set_up_seconds_); !resumed.classes().empty()) {
        shown_digest_ = resumed.digest();
        shown_calls_ = before.shown.calls;
        shown_methods_ = std::move(before.shown.methods);
        shown_ = std::make_unique<Chooser>(prices, std::move(resumed));
    }
}

void EqualLearning::resume(bool all_have_it) {
    const auto is_same = [](const Method& shown, const Slot& slot) { return shown == slot.method; };
    const std::vector<Slot>& slots = decided_->slots;
    if (all_have_it && shown_ &&
        std::equal(shown_methods_.begin(), shown_methods_.end(), slots.begin(), slots.end(), is_same)) {
        chooser_ = std::move(shown_);
    } else {
        shown_calls_ = 0;
    }
    shown_.reset();
}

Shown EqualLearning::shown() const {
    Shown shown;
    for (const Slot& slot : decided_->slots) {
        shown.methods.push_back(slot.method);
    }
    shown.learner = learner();
    shown.calls = calls_of(shown.learner);
    return shown;
}

std::optional<Tuning> EqualLearning::taught() const {
    return tuning_of(
        learner(), [&](std::size_t slot) { return decided_->slots[slot].method; }, learning::first_of);
}

bool EqualLearning::has_candidates(std::int64_t block_bytes) const {
    bool found = false;
    for_each_range_about(decided_->decision, block_bytes, [&](std::size_t range) {
        found = found || !decided_->slots[decided_->slot_of_range[range]].method.native();
    });
    return found;
}

learning::Prospect EqualLearning::prospect(std::size_t slot, std::int64_t block_bytes) const {
    const Method& method = decided_->slots[slot].method;
    const bool is_there = decided_->slots[slot].tried || method.native();
    const double bound_seconds = seconds_per_byte_ * static_cast<double>(block_bytes);
    return {slot, is_there ? 0 : set_up_seconds_,
            least_seconds_of(method, block_bytes, bound_seconds, said_start_seconds_)};
}

learning::Beginning EqualLearning::beginning(std::int64_t block_bytes) const {
    return beginning_about(decided_->decision, decided_->slot_of_range, block_bytes,
                           seconds_per_byte_ * static_cast<double>(block_bytes), learned_slot(block_bytes),
                           [&](std::size_t slot) { return prospect(slot, block_bytes); });
}

std::optional<std::size_t> EqualLearning::learned_slot(std::int64_t block_bytes) const {
    const Method* const known =
        learned_before_ != nullptr ? selection::learned_method(*learned_before_, block_bytes) : nullptr;
    const auto slot = std::find_if(decided_->slots.begin(), decided_->slots.end(),
                                   [&](const Slot& one) { return known != nullptr && one.method == *known; });
    return slot != decided_->slots.end() ? std::optional(static_cast<std::size_t>(slot - decided_->slots.begin()))
                                         : std::nullopt;
}

bool EqualLearning::begin_with_all(MPI_Comm comm, std::int64_t block_bytes) {
    const bool begun = mpi::have_memory_for([&] { begin(block_bytes); });
    if (!has_candidates(block_bytes)) {
        return begun;
    }
    beginning_.post(comm, {.agrees = begun});
    // A candidate may serve the first call, so all ranks have to have the class. A rank without memory waits as well.
    return begun && chooser_->begins_native(block_bytes) ? true : beginning_.collect().all;
}

bool EqualLearning::is_usable() {
    failed_ = failed_ || (beginning_.is_posted() && !beginning_.collect().all);
    return !failed_;
}

std::optional<EqualLearning::Choice> EqualLearning::choose(MPI_Comm comm, std::int64_t block_bytes) {
    if (chooser_->is_in_flight()) {
        const mpi::Agreed agreed = chooser_->collect();
        if (agreed.error != MPI_SUCCESS) {
            return std::nullopt;
        }
        chooser_->learn(agreed);
    }
    if (chooser_->is_full()) {
        chooser_->post(comm, {});
    }
    const learning::Trial trial = chooser_->next(block_bytes);
    return Choice{chooser_->method_of(trial), trial.measured};
}

}  // namespace aapc::interposer
