// Whose turn the next call is, and how long nobody is measured.
#include <algorithm>

#include "learning/size_class.hpp"
#include "learning/times.hpp"

namespace aapc::learning {

namespace {

/// Looks at those who have lost leave something for the day on which the network changes.
constexpr double share_of_routine = 0.6;
/// As a share of an exchange, and of one that takes so long or longer.
constexpr double long_exchange_seconds = 0.02;
constexpr double dearest_agreement = 0.5;
constexpr double dearest_agreement_beside_long = 0.02;
/// A few bytes do not take longer, whatever ranks that are kept busy make of it.
constexpr double dearest_agreement_seconds = 2e-3;
/// What watching the winner may cost.
constexpr double share_of_watching = 0.002;
constexpr std::int64_t shortest_rest = 10;
constexpr std::int64_t longest_rest = 2000;
constexpr std::int64_t shortest_wait_for_means = 3;
/// Where nobody can gain, this is enough to see whether that is still so.
constexpr std::size_t times_to_look_on = 2;
/// Until there are samples for a mean the winner is watched ever more rarely.
constexpr std::int64_t rarity_of_watching = 8;
constexpr double share_of_watching_for_a_mean = 0.006;
/// An agreement in front of a call of the MPI's own has that take half as long again, which is to be a fiftieth.
constexpr std::int64_t shortest_rest_of_the_undisturbed = 25;

}  // namespace

Turn SizeClass::turn_after(bool agreed, const Budget& others) {
    has_agreed_ = agreed && !agrees_anyway_;
    Turn turn = choose(others);
    if (turn.measured && turn.candidate == 0 && measures_apart()) {
        turn = agreed || agrees_anyway_ ? Turn{winner_, false, false, true} : Turn{0, true, true};
    }
    opens_session_ = turn.measured && !turn.apart && !agreed;
    ++calls_;
    if (turn.measured) {
        pending_.push_back(turn.candidate);
    } else {
        ++unmeasured_;
    }
    return turn;
}

void SizeClass::take_own_apart(std::size_t turns) {
    pending_.assign(turns, 0);
    opens_session_ = false;
    calls_ += static_cast<std::int64_t>(turns);
}

std::size_t SizeClass::own_turns_wanted() const {
    // One among exchanges by the clock tells little, and is dear: more of them only where it seems to be faster.
    const std::size_t wanted = winner_ != 0 ? times_of_a_take_over : times_wanted();
    const std::size_t known = winner_ != 0 ? candidates_.front().samples.size() : watched_;
    return std::clamp<std::size_t>(wanted - std::min(known, wanted), 1, most_pending);
}

/// Whether the next call is the MPI's own, measured, whatever the times on their way are.
bool SizeClass::own_goes_on() const {
    if (agrees_anyway_ || pending_.empty() || pending_.size() >= most_pending || pending_.back() != 0 ||
        !measures_apart()) {
        return false;
    }
    if (winner_ != 0) {
        return pending_.size() < own_turns_wanted();
    }
    return candidates_.front().samples.empty() ? calls_ < opening_calls : watched_ + pending_.size() < times_wanted();
}

Turn SizeClass::choose(const Budget& others) {
    const std::vector<double>& winners = candidates_[winner_].samples;
    if (!winners.empty() && !nobody_can_gain()) {
        if (const auto challenger = due_challenger(others)) {
            return {*challenger, true};
        }
    }
    if (candidates_.size() > 1 && (winners.empty() || calls_ < opening_calls || watches(others))) {
        return {winner_, true};
    }
    watched_ = 0;
    resting_ = rest() - 1;
    return {winner_, false};
}

/// Of the winner, before it rests.
std::size_t SizeClass::times_wanted() const { return nobody_can_gain() ? times_to_look_on : times_to_watch; }

/// Whether the winner's next time is wanted and worth an agreement.
bool SizeClass::watches(const Budget& others) const {
    // The first calls are told together, and who would be asked for one more would be disturbed.
    const std::size_t wanted = is_disturbed() ? std::min<std::size_t>(times_wanted(), opening_calls) : times_wanted();
    const bool in_doubt = watched_ > 0 && watched_ < 2 * times_to_watch && seems_changed();
    if (!in_doubt && candidates_[winner_].samples.size() >= wanted && (watched_ >= wanted || saves_up(others))) {
        return false;
    }
    Budget together = budget();
    together += others;
    return together.spent_seconds + price_of_measuring() <= allowance(together);
}

std::optional<std::size_t> SizeClass::due_challenger(const Budget& others) const {
    std::optional<std::size_t> found;
    for (std::size_t index = 0; index < candidates_.size(); ++index) {
        const Candidate& one = candidates_[index];
        if (index == winner_ || one.withdrawn || one.next_look > calls_ || !worth_its_price(index) ||
            !affordable(index, others)) {
            continue;
        }
        // A look that has begun is ended first; then those of whom least is known.
        const auto before = [](const Candidate& left, const Candidate& right) {
            return left.look_turns != right.look_turns ? left.look_turns > right.look_turns
                                                       : left.samples.size() < right.samples.size();
        };
        if (!found || before(one, candidates_[*found])) {
            found = index;
        }
    }
    return found;
}

bool SizeClass::affordable(std::size_t index, const Budget& others) const {
    const Candidate& candidate = candidates_[index];
    const bool routine = hopeless(candidate) || candidate.samples.size() >= samples_of_a_verdict;
    Budget together = budget();
    together += others;
    return together.spent_seconds + expected_price(index) <= allowance(together) * (routine ? share_of_routine : 1);
}

/// Calls until somebody is looked at again, or the winner is.
std::int64_t SizeClass::rest() const {
    const std::vector<double>& winners = candidates_[winner_].samples;
    if (candidates_.size() == 1 || winners.empty()) {
        return longest_rest;
    }
    if (is_disturbed()) {
        return rest_undisturbed();
    }
    const double seconds = winner_seconds();
    const double watching = static_cast<double>(times_to_watch + 1) * price_of_agreement();
    auto calls = static_cast<std::int64_t>(
        std::min(watching / (share_of_watching * seconds), static_cast<double>(longest_rest)));
    calls = std::max(calls, shortest_rest);
    if (nobody_can_gain()) {
        return std::max(calls, std::min(calls_, longest_rest));
    }
    const std::int64_t until_there_are_means = std::max(calls_ / 4, shortest_wait_for_means);
    if (winners.size() < times_to_watch) {
        calls = std::min(calls, until_there_are_means);
    } else if (winners.size() < 2 * samples_of_a_mean) {
        const auto affordable = static_cast<std::int64_t>(watching / (share_of_watching_for_a_mean * seconds));
        calls = std::min(calls, std::max({calls_ / rarity_of_watching, shortest_wait_for_means, affordable}));
    }
    for (std::size_t index = 0; index < candidates_.size(); ++index) {
        const Candidate& one = candidates_[index];
        if (index != winner_ && !one.withdrawn) {
            // What is due could not be afforded.
            calls = std::min(calls, one.next_look > calls_ ? one.next_look - calls_ : until_there_are_means);
        }
    }
    return std::max<std::int64_t>(calls, 1);
}

/// Where the MPI's own has won in calls that begin with an agreement if anybody is asked: until somebody is worth a
/// turn, or may be looked at again, and not for long, lest conditions change meanwhile.
std::int64_t SizeClass::rest_undisturbed() const {
    return rest_until_somebody_is_due(std::min(std::max(calls_ / 4, shortest_rest_of_the_undisturbed), longest_rest));
}

std::int64_t SizeClass::rest_until_somebody_is_due(std::int64_t most) const {
    std::int64_t calls = most;
    if (nobody_can_gain()) {
        return calls;
    }
    for (std::size_t index = 1; index < candidates_.size(); ++index) {
        const Candidate& one = candidates_[index];
        if (!one.withdrawn) {
            const std::int64_t from = one.samples.empty() ? calls_that_pay(index) : one.next_look;
            calls = std::min(calls, from > calls_ ? from - calls_ : calls_ / 2);
        }
    }
    return std::max(calls, opening_calls);
}

/// What exceeds the cheapest was spent on waiting for ranks that something else kept busy, which the exchange would
/// have waited for. A few bytes to everybody are less than blocks to everybody, whatever the first measurement says.
double SizeClass::price_of_agreement() const {
    if (candidates_[winner_].samples.empty()) {
        return agreement_seconds_;
    }
    const double dearest = least_seconds_ < long_exchange_seconds
                               ? std::min(dearest_agreement * winner_seconds(), dearest_agreement_seconds)
                               : dearest_agreement_beside_long * winner_seconds();
    return std::min(agreement_seconds_, dearest);
}

}  // namespace aapc::learning
