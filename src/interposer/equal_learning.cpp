#include "interposer/equal_learning.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "aapc/input/units.hpp"
#include "interposer/candidates.hpp"
#include "interposer/expectations.hpp"
#include "mpi/have_memory.hpp"

namespace aapc::interposer {

EqualLearning::EqualLearning(const Decided& decided, const Bound& bound, int ranks, double least_start_seconds,
                             Before before)
    : CallLearning(bound, ranks, expected_set_up_seconds(bound, ranks, before.message_seconds), 0, std::move(before)),
      decided_(&decided),
      seconds_per_byte_(bound.seconds_per_byte),
      least_start_seconds_(least_start_seconds) {}

std::vector<Method> EqualLearning::methods() const {
    std::vector<Method> all(decided_->slots.size());
    std::transform(decided_->slots.begin(), decided_->slots.end(), all.begin(),
                   [](const Slot& slot) { return slot.method; });
    return all;
}

bool EqualLearning::has_methods(const std::vector<Method>& shown) const {
    return std::equal(shown.begin(), shown.end(), decided_->slots.begin(), decided_->slots.end(),
                      [](const Method& method, const Slot& slot) { return method == slot.method; });
}

std::string EqualLearning::words_of(std::int64_t size) const {
    return fmt::format("blocks of about {}", size_text(blocks_of_size(size)));
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
    return {slot, is_there ? 0 : chooser().prices().set_up_seconds,
            least_seconds_of(method, block_bytes, bound_seconds, least_start_seconds_)};
}

learning::Beginning EqualLearning::beginning(std::int64_t block_bytes) const {
    learning::Beginning found = beginning_about(
        decided_->decision, decided_->slot_of_range, block_bytes, seconds_per_byte_ * static_cast<double>(block_bytes),
        learned_slot(block_bytes), [&](std::size_t slot) { return prospect(slot, block_bytes); });
    found.size = size_of_blocks(block_bytes);
    found.opens_early = true;
    return found;
}

std::optional<std::size_t> EqualLearning::learned_slot(std::int64_t block_bytes) const {
    const Method* const known = learned_method(block_bytes);
    const auto slot = std::find_if(decided_->slots.begin(), decided_->slots.end(),
                                   [&](const Slot& one) { return known != nullptr && one.method == *known; });
    return slot != decided_->slots.end() ? std::optional(static_cast<std::size_t>(slot - decided_->slots.begin()))
                                         : std::nullopt;
}

bool EqualLearning::begin_class_with_all(MPI_Comm comm, std::int64_t block_bytes) {
    const bool begun = mpi::have_memory_for([&] { begin_class(block_bytes); });
    if (!has_candidates(block_bytes)) {
        return begun;
    }
    beginning_.post(comm, {.agrees = begun});
    // A candidate may serve the first call, so all ranks have to have the class. A rank without memory waits as well.
    return begun && begins_native(block_bytes) ? true : beginning_.collect().all;
}

bool EqualLearning::is_usable() {
    failed_ = failed_ || (beginning_.is_posted() && !beginning_.collect().all);
    return !failed_;
}

bool EqualLearning::learn_result() {
    const mpi::Agreed agreed = chooser().collect();
    if (agreed.error == MPI_SUCCESS) {
        chooser().learn(agreed);
    }
    return agreed.error == MPI_SUCCESS;
}

std::optional<EqualLearning::Choice> EqualLearning::choose(MPI_Comm comm, std::int64_t block_bytes) {
    if (chooser().is_in_flight() && !learn_result()) {
        return std::nullopt;
    }
    if (chooser().is_full()) {
        chooser().post(comm, {});
    }
    if (chooser().awaits_result() && !learn_result()) {
        return std::nullopt;
    }
    const learning::Trial trial = chooser().next(size_of_blocks(block_bytes));
    return Choice{chooser().method_of(trial), trial.measured};
}

}  // namespace aapc::interposer
