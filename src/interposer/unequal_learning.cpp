#include "interposer/unequal_learning.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <new>
#include <utility>

#include "interposer/expectations.hpp"
#include "selection/learned.hpp"

namespace aapc::interposer {

namespace {

/// More than a turn needs.
constexpr std::size_t memory_of_an_unequal_turn = 65536;

}  // namespace

bool UnequalLearning::has_memory_for_a_turn() {
    const std::unique_ptr<std::byte[]> memory(new (std::nothrow) std::byte[memory_of_an_unequal_turn]);
    return memory != nullptr;
}

void UnequalLearning::tell(mpi::DemandClaim& claim) const {
    claim.call_nanoseconds = measured_ != nullptr ? call_nanoseconds_ : 0;
    claim.set_up_nanoseconds = measured_ != nullptr ? set_up_nanoseconds_ : 0;
}

/// Whoever exchanges by the clock has to agree first, in every call. The MPI's own needs no agreement when nothing is
/// to be found out any more.
void UnequalLearning::hear(const mpi::AgreedDemand& agreed) {
    if (measured_ != nullptr && agreed.call_seconds > 0) {
        const double agreement = candidate_ == by_clock ? agreed.cost_seconds : 0;
        measured_->agreed =
            learning::Measured{agreed.call_seconds + agreement, agreed.cost_seconds, agreed.set_up_seconds};
    }
    measured_ = nullptr;
    call_nanoseconds_ = 0;
    set_up_nanoseconds_ = 0;
}

std::int64_t UnequalLearning::size_of(std::int64_t nanoseconds) const {
    return std::max<std::int64_t>(std::llround(1e-9 * static_cast<double>(nanoseconds) / seconds_per_byte_), 1);
}

UnequalLearning::Class& UnequalLearning::begun(int key, const mpi::AgreedDemand& agreed, bool made) {
    const auto known = classes_.find(key);
    if (known != classes_.end()) {
        return known->second;
    }
    learning::Beginning beginning;
    const double least =
        least_seconds_by_clock(agreed.bound.seconds(), size_of(agreed.bound.nanoseconds), start_seconds_);
    beginning.prospects = {{own}, {by_clock, made ? 0 : set_up_seconds_, least}};
    beginning.least_seconds = agreed.bound.seconds();
    const Method* const winner =
        before_ != nullptr ? selection::learned_method(*before_, size_of(agreed.bound.nanoseconds)) : nullptr;
    if (winner != nullptr) {
        beginning.winner = winner->native() ? own : by_clock;
    }
    learning::SizeClass& begun = learner_.begin(key, std::move(beginning));
    return classes_.emplace(key, Class{&begun, std::nullopt}).first->second;
}

UnequalLearning::Turn UnequalLearning::take_turn(const mpi::AgreedDemand& agreed, bool made) {
    Class& of = begun(learning::class_of(agreed.bound.nanoseconds), agreed, made);
    learning::SizeClass& size_class = *of.size_class;
    if (size_class.resting()) {
        size_class.skip();
        candidate_ = size_class.winner();
        return {candidate_ == by_clock, false, true};
    }
    const learning::Turn turn = learner_.next(size_class, std::exchange(of.agreed, std::nullopt));
    candidate_ = turn.candidate;
    measured_ = turn.measured ? &of : nullptr;
    return {candidate_ == by_clock, turn.measured, size_class.resting()};
}

}  // namespace aapc::interposer
