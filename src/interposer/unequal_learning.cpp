#include "interposer/unequal_learning.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <new>
#include <span>
#include <utility>

#include "interposer/expectations.hpp"
#include "interposer/unasked_calls.hpp"
#include "selection/learned.hpp"

namespace aapc::interposer {

namespace {

/// More than a turn needs.
constexpr std::size_t memory_of_an_unequal_turn = 65536;
/// Calls that pass before it is looked whether they are still alike: at least these, else as many as there were.
constexpr std::int64_t fewest_passes = 30;
/// Where other communicators' calls have shown that the MPI's own is best, at most.
constexpr std::int64_t most_passes_on_trust = 250;
/// Times what an exchange by the clock takes at least: what the MPI's own may take without one being tried at once.
constexpr double fast_enough = 1.25;
/// Calls of which nobody can gain anything that pass before some are told of again: at least these, else as many as
/// there have been, and so many at most.
constexpr std::int64_t fewest_in_vain = 6;
constexpr std::int64_t most_in_vain = 1024;
/// A reduction takes several steps, and MPIs take them in calls alone. Who looks at its result with the next call waits
/// for whoever came last to the call before; after one more nobody does.
constexpr int passes_while_told = 1;
static_assert(learning::most_pending <= mpi::PastClaim::most_calls);

}  // namespace

UnequalLearning::UnequalLearning(const Tuning* before, double seconds_per_byte, const ExpectedByClock& expected)
    : before_(before),
      seconds_per_byte_(seconds_per_byte),
      expected_(expected),
      // Who knows a winner begins with it.
      apart_left_(before == nullptr ? learning::opening_calls : 0),
      opened_(before != nullptr) {}

UnequalLearning::UnequalLearning(const Tuning* before, double seconds_per_byte, const ExpectedByClock& expected,
                                 learning::UnequalLearner shown)
    : before_(before),
      seconds_per_byte_(seconds_per_byte),
      expected_(expected),
      learner_(std::move(shown)),
      opened_(true) {
    bool all_rest = true;
    for (const auto& [key, one] : learner_.classes()) {
        learning::SizeClass* const size_class = learner_.find(key);
        Class& of = classes_.emplace(size_class, Class{size_class}).first->second;
        all_rest = all_rest && one.resting() && one.winner() == own;
        if (resting_ == nullptr || one.budget().calls > resting_->size_class->budget().calls) {
            resting_ = &of;
        }
    }
    if (all_rest && resting_ != nullptr) {
        passes_left_ = std::clamp(learner_.budget().calls, fewest_passes, most_passes_on_trust);
    } else {
        resting_ = nullptr;
    }
}

void UnequalLearning::begin_again() {
    apart_left_ = learning::opening_calls;
    latest_apart_ = 0;
    has_to_tell_ = false;
}

UnequalLearning::Opening UnequalLearning::begin_call() {
    ++calls_;
    tells_in_passing_ = false;
    if (passes_before_hearing_ > 0) {
        --passes_before_hearing_;
        return Opening::passed;
    }
    if (is_in_vain_ && calls_ < apart_from_) {
        return Opening::passed;
    }
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
            in_a_row_ = true;
        }
        resting_ = nullptr;
    }
    if (apart_left_ > 0 && calls_ >= apart_from_) {
        // The last of the first calls shows what the others have shown, so that whoever is fast enough is not asked.
        tells_in_passing_ = !opened_ && !is_in_vain_ && apart_left_ == 1 && has_to_tell_;
        --apart_left_;
        latest_apart_ = calls_;
        has_to_tell_ = true;
        return Opening::apart;
    }
    if (has_to_tell_ && can_tell_in_passing()) {
        has_to_tell_ = false;
        tells_in_passing_ = true;
        passes_before_hearing_ = passes_while_told;
        return Opening::passed;
    }
    return Opening::asked;
}

/// An agreement has all ranks wait for the last one, and what is told in passing nobody. Whoever exchanges by the clock
/// agrees anyway, and who seems to be slow in its first calls is helped at once.
bool UnequalLearning::can_tell_in_passing() const {
    if (is_in_vain_) {
        return true;
    }
    return (opened_ ? in_a_row_ : first_are_fast_) && clocks_agree_ && measured_ == nullptr && resting_ == nullptr;
}

std::unique_ptr<std::byte[]> UnequalLearning::memory_for_a_turn() {
    return std::unique_ptr<std::byte[]>(new (std::nothrow) std::byte[memory_of_an_unequal_turn]);
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
    clocks_agree_ = true;
    if (agreed.past.calls > 0) {
        past_ = with_first(agreed.past);
        past_agreement_seconds_ = agreed.cost_seconds;
    }
}

void UnequalLearning::hear_in_passing(const mpi::AgreedPast& past, bool made) {
    passes_before_hearing_ = 0;
    clocks_agree_ = past.timed;
    if (!std::exchange(is_in_vain_, false) && !opened_ && first_past_.calls == 0) {
        first_past_ = past;
        first_are_fast_ =
            past.known && past.timed &&
            past.seconds[past.calls - 1] < fast_enough * by_clock_takes(past.bound.nanoseconds).least_seconds;
        return;
    }
    Class* const of = learn_from(with_first(past), 0, made);
    if (of == nullptr) {
        return;
    }
    of->latest_call = calls_;
    learning::SizeClass& size_class = *of->size_class;
    if (!size_class.resting()) {
        const learning::Turn turn = next_turn(*of);
        if (turn.own_next) {
            take_apart(*of, 1);
        } else if (turn.candidate != own || turn.measured) {
            granted_ = of;
            granted_turn_ = turn;
        }
    }
    if (size_class.resting() && size_class.winner() == own) {
        rest(*of);
    }
}

bool UnequalLearning::hear_in_vain() {
    if (!learner_.classes().empty()) {
        return false;
    }
    passes_before_hearing_ = 0;
    is_in_vain_ = true;
    first_past_ = {};
    has_to_tell_ = false;
    apart_from_ = calls_ + 1 + std::clamp(calls_, fewest_in_vain, most_in_vain);
    apart_left_ = mpi::PastClaim::most_calls;
    return true;
}

mpi::AgreedPast UnequalLearning::with_first(const mpi::AgreedPast& past) {
    const mpi::AgreedPast first = std::exchange(first_past_, {});
    if (first.calls == 0) {
        return past;
    }
    mpi::AgreedPast both = first;
    both.calls = std::min(first.calls + past.calls, mpi::PastClaim::most_calls);
    std::copy_n(past.seconds.begin(), both.calls - first.calls, both.seconds.begin() + first.calls);
    const auto [less, more] = std::minmax(first.bound.nanoseconds, past.bound.nanoseconds);
    both.known = first.known && past.known && static_cast<double>(more) <= most_alike * static_cast<double>(less);
    both.timed = both.known && first.timed && past.timed;
    return both;
}

/// Of the first calls nobody knew beforehand what they would be; later ones are of a class that has asked for them, or
/// of another one, which may have their times as well.
UnequalLearning::Class* UnequalLearning::learn_from(const mpi::AgreedPast& past, double agreement_seconds, bool made) {
    if (past.calls == 0) {
        return nullptr;
    }
    const bool opens = !std::exchange(opened_, true);
    if (!past.known || past.bound.nanoseconds <= 0) {
        return nullptr;
    }
    const learning::SizeClass* near = learner_.find_near(past.bound.nanoseconds);
    const double least = *std::min_element(past.seconds.begin(), past.seconds.begin() + past.calls);
    bool teaches = past.timed && near != nullptr && near->measures_apart() && near->pending() == 0;
    if (near == nullptr && opens) {
        teaches = past.timed && (least >= learning::shortest_seconds_apart ||
                                 past.bound.seconds() >= learning::shortest_seconds_apart);
        near = begun(past.bound.nanoseconds, made, teaches ? 0 : static_cast<std::int64_t>(past.calls)).size_class;
    }
    if (near == nullptr) {
        return nullptr;
    }
    Class& of = classes_.at(near);
    of.latest_call = latest_apart_;
    if (!teaches) {
        return of.size_class->resting() ? &of : nullptr;
    }
    const double to_class_size = static_cast<double>(near->size()) / static_cast<double>(past.bound.nanoseconds);
    of.size_class->take_own_apart(past.calls);
    of.turns_told = past.calls;
    for (std::size_t turn = 0; turn < past.calls; ++turn) {
        of.told[turn] = {past.seconds[turn], agreement_seconds, 0, to_class_size};
    }
    return &of;
}

learning::Turn UnequalLearning::next_turn(Class& of) {
    const std::span<const learning::Measured> told(of.told.data(), std::exchange(of.turns_told, 0));
    return learner_.next(*of.size_class, told);
}

void UnequalLearning::take_apart(const Class& of, std::int64_t distance) {
    if (apart_left_ > 0 && calls_ + distance >= apart_from_) {
        return;  // another class has asked for earlier ones
    }
    apart_from_ = calls_ + distance;
    apart_left_ = distance == 1 ? of.size_class->own_turns_wanted() : 1;
    in_a_row_ = distance == 1;
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

UnequalByClock UnequalLearning::by_clock_takes(std::int64_t nanoseconds) const {
    return expected_unequal_by_clock(1e-9 * static_cast<double>(nanoseconds), size_of(nanoseconds),
                                     expected_.start_seconds, expected_.agreement_seconds);
}

UnequalLearning::Class& UnequalLearning::begun(std::int64_t nanoseconds, bool made, std::int64_t calls) {
    learning::Beginning beginning;
    beginning.size = nanoseconds;
    beginning.calls = calls;
    beginning.agrees_anyway = true;
    beginning.least_seconds = 1e-9 * static_cast<double>(nanoseconds);
    const std::int64_t size = size_of(nanoseconds);
    const auto [least, spread] = by_clock_takes(nanoseconds);
    beginning.prospects = {{own}, {by_clock, made ? 0 : expected_.set_up_seconds, least, spread}};
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
    learn_from(std::exchange(past_, {}), past_agreement_seconds_, made);
    Class& of = class_of(nanoseconds, made);
    // Sizes that take turns come back after as many calls as before.
    const std::int64_t distance = of.latest_call > 0 ? calls_ - of.latest_call : 1;
    of.latest_call = calls_;
    learning::SizeClass& size_class = *of.size_class;
    const bool granted = std::exchange(granted_, nullptr) == &of;
    Turn taken;
    if (size_class.resting()) {
        size_class.skip();
        candidate_ = size_class.winner();
        taken = {candidate_ == by_clock, false};
    } else {
        const learning::Turn turn = granted ? granted_turn_ : next_turn(of);
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
