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
/// Calls that pass before it is looked whether they are still alike: at least these, else as many as there were.
constexpr std::int64_t fewest_passes = 30;
/// Where other communicators' calls have shown that the MPI's own is best, at most.
constexpr std::int64_t most_passes_on_trust = 250;
/// Ranks leave an agreement within a fraction of a millisecond. The first calls' times need not be as good as those
/// that decide between who is nearly as fast.
constexpr double shortest_seconds_apart = 5e-3;
static_assert(learning::most_pending <= mpi::PastClaim::most_calls);

}  // namespace

UnequalLearning::UnequalLearning(const Tuning* before, double seconds_per_byte, double set_up_seconds,
                                 double start_seconds)
    : before_(before),
      seconds_per_byte_(seconds_per_byte),
      set_up_seconds_(set_up_seconds),
      start_seconds_(start_seconds),
      // Who knows a winner begins with it.
      apart_left_(before == nullptr ? learning::opening_calls : 0),
      opened_(before != nullptr) {}

UnequalLearning::UnequalLearning(const Tuning* before, double seconds_per_byte, double set_up_seconds,
                                 double start_seconds, learning::Learner shown)
    : before_(before),
      seconds_per_byte_(seconds_per_byte),
      set_up_seconds_(set_up_seconds),
      start_seconds_(start_seconds),
      learner_(std::move(shown)),
      opened_(true) {
    bool all_rest = true;
    for (const auto& [key, one] : learner_.classes()) {
        learning::SizeClass* const size_class = learner_.find(key);
        Class& of = classes_.emplace(size_class, Class{size_class}).first->second;
        all_rest = all_rest && one.resting() && one.winner() == own;
        if (resting_ == nullptr || one.account().calls > resting_->size_class->account().calls) {
            resting_ = &of;
        }
    }
    if (all_rest && resting_ != nullptr) {
        passes_left_ = std::clamp(learner_.account().calls, fewest_passes, most_passes_on_trust);
    } else {
        resting_ = nullptr;
    }
}

UnequalLearning::Opening UnequalLearning::begin_call() {
    ++calls_;
    if (apart_left_ == 0 && !has_to_tell_ && resting_ != nullptr) {
        learning::SizeClass& size_class = *resting_->size_class;
        if (size_class.resting() && passes_left_ > 0) {
            --passes_left_;
            size_class.skip();
            resting_->latest_call = calls_;
            return Opening::passed;
        }
        // Whoever is to be watched again may as well be so before anybody is asked.
        if (!size_class.resting() && size_class.measures_apart()) {
            apart_from_ = calls_;
            apart_left_ = size_class.own_turns_wanted();
        }
        resting_ = nullptr;
    }
    if (apart_left_ > 0 && calls_ >= apart_from_) {
        --apart_left_;
        latest_apart_ = calls_;
        has_to_tell_ = true;
        return Opening::apart;
    }
    return Opening::asked;
}

bool UnequalLearning::has_memory_for_a_turn() {
    const std::unique_ptr<std::byte[]> memory(new (std::nothrow) std::byte[memory_of_an_unequal_turn]);
    return memory != nullptr;
}

void UnequalLearning::tell(mpi::DemandClaim& claim) const {
    claim.call_nanoseconds = measured_ != nullptr ? call_nanoseconds_ : 0;
    claim.set_up_nanoseconds = measured_ != nullptr ? set_up_nanoseconds_ : 0;
}

/// Whoever exchanges by the clock has to agree first, in every call. The MPI's own needs no agreement.
void UnequalLearning::hear(const mpi::AgreedDemand& agreed) {
    if (measured_ != nullptr && agreed.call_seconds > 0) {
        const double agreement = candidate_ == by_clock ? agreed.cost_seconds : 0;
        const double to_class_size =
            static_cast<double>(measured_->size_class->size()) / static_cast<double>(measured_nanoseconds_);
        measured_->told.front() = {agreed.call_seconds + agreement, agreed.cost_seconds, agreed.set_up_seconds,
                                   to_class_size};
        measured_->turns_told = 1;
    }
    measured_ = nullptr;
    call_nanoseconds_ = 0;
    set_up_nanoseconds_ = 0;
}

void UnequalLearning::hear_past(const mpi::AgreedDemand& agreed) {
    has_to_tell_ = false;
    if (agreed.past.calls > 0) {
        past_ = agreed.past;
        past_agreement_seconds_ = agreed.cost_seconds;
    }
}

/// Of the first calls nobody knew beforehand what they would be; later ones are of a class that has asked for them, or
/// of another one, which may have their times as well.
void UnequalLearning::learn_from_past(bool made) {
    const mpi::AgreedPast past = std::exchange(past_, {});
    if (past.calls == 0) {
        return;
    }
    const bool opens = !std::exchange(opened_, true);
    if (!past.known || past.bound.nanoseconds <= 0) {
        return;
    }
    const learning::SizeClass* near = learner_.find_near(past.bound.nanoseconds);
    const double least = *std::min_element(past.seconds.begin(), past.seconds.begin() + past.calls);
    bool teaches = past.timed && near != nullptr && near->measures_apart() && near->pending() == 0;
    if (near == nullptr && opens) {
        teaches = past.timed && least >= shortest_seconds_apart;
        near = begun(past.bound.nanoseconds, made, teaches ? 0 : static_cast<std::int64_t>(past.calls)).size_class;
    }
    if (near == nullptr) {
        return;
    }
    Class& of = classes_.at(near);
    of.latest_call = latest_apart_;
    if (!teaches) {
        return;
    }
    const double to_class_size = static_cast<double>(near->size()) / static_cast<double>(past.bound.nanoseconds);
    of.size_class->take_own_apart(past.calls);
    of.turns_told = past.calls;
    for (std::size_t turn = 0; turn < past.calls; ++turn) {
        of.told[turn] = {past.seconds[turn], past_agreement_seconds_, 0, to_class_size};
    }
}

void UnequalLearning::take_apart(const Class& of, std::int64_t distance) {
    if (apart_left_ > 0 && calls_ + distance >= apart_from_) {
        return;  // another class has asked for earlier ones
    }
    apart_from_ = calls_ + distance;
    apart_left_ = distance == 1 ? of.size_class->own_turns_wanted() : 1;
}

void UnequalLearning::rest(Class& of) {
    resting_ = &of;
    passes_left_ = std::max(calls_, fewest_passes);
}

void UnequalLearning::note_headers(const DemandBound& before, const DemandBound& now) {
    if (before.nanoseconds > 0 && now.nanoseconds > 0) {
        headers_ = now.seconds() / before.seconds();
    }
}

std::int64_t UnequalLearning::size_of(std::int64_t nanoseconds) const {
    return std::max<std::int64_t>(std::llround(1e-9 * static_cast<double>(nanoseconds) / seconds_per_byte_), 1);
}

UnequalLearning::Class& UnequalLearning::begun(std::int64_t nanoseconds, bool made, std::int64_t calls) {
    learning::Beginning beginning;
    beginning.size = nanoseconds;
    beginning.calls = calls;
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
    return classes_.emplace(&begun, Class{&begun}).first->second;
}

UnequalLearning::Class& UnequalLearning::class_of(std::int64_t nanoseconds, bool made) {
    const learning::SizeClass* const near = learner_.find_near(nanoseconds);
    return near == nullptr ? begun(nanoseconds, made, 0) : classes_.at(near);
}

UnequalLearning::Turn UnequalLearning::take_turn(const mpi::AgreedDemand& agreed, bool made) {
    const std::int64_t nanoseconds =
        std::max<std::int64_t>(std::llround(static_cast<double>(agreed.bound.nanoseconds) / headers_), 1);
    learn_from_past(made);
    Class& of = class_of(nanoseconds, made);
    // Sizes that take turns come back after as many calls as before.
    const std::int64_t distance = of.latest_call > 0 ? calls_ - of.latest_call : 1;
    of.latest_call = calls_;
    learning::SizeClass& size_class = *of.size_class;
    Turn taken;
    if (size_class.resting()) {
        size_class.skip();
        candidate_ = size_class.winner();
        taken = {candidate_ == by_clock, false};
    } else {
        const std::span<const learning::Measured> told(of.told.data(), std::exchange(of.turns_told, 0));
        const learning::Turn turn = learner_.next(size_class, told);
        candidate_ = turn.candidate;
        measured_ = turn.measured ? &of : nullptr;
        measured_nanoseconds_ = nanoseconds;
        taken = {candidate_ == by_clock, turn.measured};
        if (turn.own_next) {
            take_apart(of, distance);
        }
    }
    if (size_class.resting() && size_class.winner() == own) {
        rest(of);
    }
    return taken;
}

}  // namespace aapc::interposer
