#include "interposer/unequal_learning.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <new>
#include <span>
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
        const double to_class_size =
            static_cast<double>(measured_->size_class->size()) / static_cast<double>(measured_nanoseconds_);
        measured_->agreed = learning::Measured{agreed.call_seconds + agreement, agreed.cost_seconds,
                                               agreed.set_up_seconds, to_class_size};
    }
    measured_ = nullptr;
    call_nanoseconds_ = 0;
    set_up_nanoseconds_ = 0;
}

void UnequalLearning::note_headers(const DemandBound& before, const DemandBound& now) {
    if (before.nanoseconds > 0 && now.nanoseconds > 0) {
        headers_ = now.seconds() / before.seconds();
    }
}

std::int64_t UnequalLearning::size_of(std::int64_t nanoseconds) const {
    return std::max<std::int64_t>(std::llround(1e-9 * static_cast<double>(nanoseconds) / seconds_per_byte_), 1);
}

UnequalLearning::Class& UnequalLearning::begun(std::int64_t nanoseconds, bool made) {
    learning::Beginning beginning;
    beginning.size = nanoseconds;
    beginning.agrees_anyway = true;
    beginning.least_seconds = 1e-9 * static_cast<double>(nanoseconds);
    const std::int64_t size = size_of(nanoseconds);
    const double least = least_seconds_by_clock(beginning.least_seconds, size, start_seconds_);
    beginning.prospects = {{own}, {by_clock, made ? 0 : set_up_seconds_, least}};
    const Method* const winner = before_ != nullptr ? selection::learned_method(*before_, size) : nullptr;
    if (winner != nullptr) {
        beginning.winner = winner->native() ? own : by_clock;
    }
    learning::SizeClass& begun = learner_.begin(std::move(beginning));
    return classes_.emplace(&begun, Class{&begun, std::nullopt}).first->second;
}

UnequalLearning::Class& UnequalLearning::class_of(std::int64_t nanoseconds, bool made) {
    const learning::SizeClass* const near = learner_.find_near(nanoseconds);
    return near == nullptr ? begun(nanoseconds, made) : classes_.at(near);
}

UnequalLearning::Turn UnequalLearning::take_turn(const mpi::AgreedDemand& agreed, bool made) {
    const std::int64_t nanoseconds =
        std::max<std::int64_t>(std::llround(static_cast<double>(agreed.bound.nanoseconds) / headers_), 1);
    Class& of = class_of(nanoseconds, made);
    learning::SizeClass& size_class = *of.size_class;
    if (size_class.resting()) {
        size_class.skip();
        candidate_ = size_class.winner();
        return {candidate_ == by_clock, false, true};
    }
    const std::optional<learning::Measured> told = std::exchange(of.agreed, std::nullopt);
    const learning::Turn turn = learner_.next(
        size_class, told ? std::span<const learning::Measured>(&*told, 1) : std::span<const learning::Measured>());
    candidate_ = turn.candidate;
    measured_ = turn.measured ? &of : nullptr;
    measured_nanoseconds_ = nanoseconds;
    return {candidate_ == by_clock, turn.measured, size_class.resting()};
}

}  // namespace aapc::interposer
