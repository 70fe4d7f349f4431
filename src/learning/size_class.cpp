#include "learning/size_class.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "aapc/statistics/statistics.hpp"
#include "aapc/statistics/totals.hpp"

namespace aapc::learning {

namespace {

/// Older times say little about the network as it is.
constexpr std::size_t most_samples = 32;
constexpr std::size_t samples_of_a_typical_time = 7;
/// Turns in a row, of the first look: connections that were idle are cold at its first turn.
constexpr std::size_t turns_of_a_look = 2;
constexpr std::size_t times_to_watch = 4;
constexpr std::size_t times_of_a_reference = 5;
/// A third more, or a third less.
constexpr double changed_ratio = 4.0 / 3.0;

/// Who takes so many times as long after one turn need not have a second, and after a look for a long time.
constexpr double hopeless_at_once = 3.0;
constexpr double hopeless_ratio = 1.3;
constexpr std::int64_t hopeless_growth = 4;
constexpr std::int64_t usual_growth = 2;
/// With so many an interval is worth something; with so many more a lead that matters has shown.
constexpr std::size_t samples_of_a_verdict = 6;
constexpr std::size_t samples_to_be_sure = 12;
/// With so many the mean is worth something; the winner is watched until there are twice as many, ever more rarely.
constexpr std::size_t samples_of_a_mean = 12;
constexpr std::int64_t rarity_of_watching = 8;
constexpr double share_of_watching_for_a_mean = 0.006;
constexpr std::int64_t calls_to_the_next_sample = 2;

/// Few times must show much.
constexpr double lead_of_one = 1.15;
constexpr double lead_of_two = 1.1;
constexpr double lead_of_many = 1.03;
/// The MPI's own stays and returns where the lead over it is smaller.
constexpr double noise = noise_of_comparisons;
constexpr std::size_t pairs_against_the_own = 3;
constexpr double confidence = 0.9;

/// Looks at those who have lost leave something for the day on which the network changes.
constexpr double share_of_routine = 0.6;
/// As a share of an exchange, and of a long one.
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

std::span<const double> latest(const std::vector<double>& values, std::size_t most) {
    return std::span(values).last(std::min(values.size(), most));
}

double typical(const std::vector<double>& values) { return lower_median(latest(values, samples_of_a_typical_time)); }

/// Whether the second takes longer in all, in the latest times of both.
bool longer_in_all(const std::vector<double>& first, const std::vector<double>& second) {
    const std::size_t pairs = std::min(first.size(), second.size());
    return takes_longer_in_all(latest(first, pairs), latest(second, pairs));
}

double mean(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// At least two values.
double mean_without_greatest(const std::vector<double>& values) {
    const double sum = std::accumulate(values.begin(), values.end(), 0.0);
    return (sum - *std::max_element(values.begin(), values.end())) / static_cast<double>(values.size() - 1);
}

/// Whether the first, of which there are `least_samples`, takes less on average, even if the second had been spared its
/// slowest call: a program waits for the sum of its calls, and one in eight that is very slow does not show in medians
/// and ranks. One accident is left out; of two it is taken that there will be others.
bool ahead_on_average(const std::vector<double>& first, const std::vector<double>& second,
                      std::size_t least_samples = samples_of_a_mean) {
    return first.size() >= least_samples && second.size() >= samples_of_a_mean &&
           mean(first) * noise < mean_without_greatest(second);
}

/// How many times as long the first takes, pair by pair of the latest times.
Estimate ratio_of(const std::vector<double>& first, const std::vector<double>& second) {
    const std::size_t pairs = std::min(first.size(), second.size());
    return paired_ratio(latest(first, pairs), latest(second, pairs), confidence);
}

}  // namespace

SizeClass::SizeClass(Beginning beginning)
    : prospects_(std::move(beginning.prospects)),
      least_seconds_(beginning.least_seconds),
      size_(beginning.size),
      agrees_anyway_(beginning.agrees_anyway),
      candidates_(prospects_.size()) {
    if (beginning.winner) {
        winner_ = *beginning.winner;
        for (Candidate& candidate : candidates_) {
            candidate.next_look = calls_before_the_share;
        }
    } else {
        calls_ = beginning.calls;
        unmeasured_ = beginning.calls;
        const bool measures = agrees_anyway_ || least_seconds_ >= long_exchange_seconds;
        resting_ = measures ? 0 : std::max<std::int64_t>(opening_calls - calls_, 0);
    }
}

Turn SizeClass::next(const std::optional<Measured>& last, const Account& others) {
    if (pending_ && last) {
        observe(*last);
        judge();
    }
    pending_.reset();
    const Turn turn = choose(others);
    opens_session_ = turn.measured && !last;
    ++calls_;
    if (turn.measured) {
        pending_ = turn.candidate;
    } else {
        ++unmeasured_;
    }
    return turn;
}

void SizeClass::observe(const Measured& measured) {
    Candidate& candidate = candidates_[*pending_];
    const double seconds = measured.seconds * measured.to_class_size;
    // Accidents make calls longer and never shorter: one that was slow is not what it was. A winner is watched instead.
    if (*pending_ != winner_ && !candidate.samples.empty() && seconds * changed_ratio < typical(candidate.samples)) {
        candidate.samples.clear();
    }
    if (*pending_ == winner_ && !candidate.samples.empty()) {
        past_seconds_ += static_cast<double>(unmeasured_) * winner_seconds();
        unmeasured_ = 0;
    }
    candidate.samples.push_back(seconds);
    if (candidate.samples.size() > most_samples) {
        candidate.samples.erase(candidate.samples.begin());
    }
    ++candidate.measured;
    candidate.was_set_up = true;
    past_seconds_ += measured.seconds + measured.set_up_seconds;
    past_spent_ += measured.set_up_seconds;
    // The agreement before the first of several tells of none, and costs as much.
    agreements_ += opens_session_ ? 2 : 1;
    agreement_seconds_ =
        agreed_once_ ? std::min(agreement_seconds_, measured.agreement_seconds) : measured.agreement_seconds;
    agreed_once_ = true;
    if (*pending_ == winner_) {
        ++watched_;
        if (reference_.size() < times_of_a_reference) {
            reference_.push_back(seconds);
        }
        return;
    }
    ++candidate.explored;
    candidate.explored_seconds += seconds;
    const bool first_look = candidate.samples.size() <= turns_of_a_look;
    const double too_slow = first_look ? hopeless_at_once : hopeless_ratio;
    if (++candidate.look_turns >= (first_look ? turns_of_a_look : 1) ||
        (!candidates_[winner_].samples.empty() && seconds > too_slow * winner_seconds())) {
        end_look(candidate);
    }
}

void SizeClass::end_look(Candidate& candidate) {
    candidate.look_turns = 0;
    // Of the spell: what had been learned before it says nothing any more.
    const std::int64_t calls = calls_ - spell_began_;
    const bool behind = ahead_on_average(candidates_[winner_].samples, candidate.samples, samples_of_a_verdict);
    if (!behind && !candidate.samples.empty() && typical(candidate.samples) < winner_seconds()) {
        candidate.next_look = calls_;  // as long as it seems to be faster, looking costs nothing
    } else if (hopeless(candidate)) {
        // A program's first calls pass fast.
        candidate.next_look = spell_began_ + hopeless_growth * std::max(calls, calls_before_the_share);
    } else if (!behind && candidate.samples.size() < most_samples && !surely_slower(candidate) &&
               !always_slower(candidate)) {
        // Such a look costs next to nothing, and a small lead takes many times to be seen.
        candidate.next_look = calls_ + std::max(calls / 8, calls_to_the_next_sample);
    } else {
        candidate.next_look = spell_began_ + usual_growth * std::max(calls, calls_to_the_next_sample);
    }
}

bool SizeClass::hopeless(const Candidate& candidate) const {
    return !candidate.samples.empty() && !candidates_[winner_].samples.empty() &&
           typical(candidate.samples) > hopeless_ratio * winner_seconds();
}

bool SizeClass::surely_slower(const Candidate& candidate) const {
    const std::vector<double>& winners = candidates_[winner_].samples;
    return std::min(winners.size(), candidate.samples.size()) >= samples_of_a_verdict &&
           ratio_of(winners, candidate.samples).interval.high < 1;
}

/// In two calls at least, and by more than would be tried again at once.
bool SizeClass::always_slower(const Candidate& candidate) const {
    const std::vector<double>& winners = candidates_[winner_].samples;
    return std::min(winners.size(), candidate.samples.size()) >= turns_of_a_look &&
           typical(candidate.samples) > lead_of_one * winner_seconds() &&
           *std::max_element(winners.begin(), winners.end()) <
               *std::min_element(candidate.samples.begin(), candidate.samples.end());
}

void SizeClass::judge() {
    if (candidates_[winner_].samples.empty()) {
        return;
    }
    // First of all: what others took before the change is no reason to go to them.
    if (winner_has_changed()) {
        begin_spell();
    }
    if (native_takes_over()) {
        crown(0);
    }
    for (std::size_t challenger = 1; challenger < candidates_.size(); ++challenger) {
        if (challenger != winner_ && beats(challenger)) {
            crown(challenger);
        }
    }
    look_at_who_seems_faster();
}

/// Who lost against a lucky call of the winner's is not to wait for long.
void SizeClass::look_at_who_seems_faster() {
    for (std::size_t index = 0; index < candidates_.size(); ++index) {
        Candidate& one = candidates_[index];
        if (index != winner_ && one.look_turns == 0 && !one.samples.empty() &&
            typical(one.samples) < winner_seconds() &&
            !ahead_on_average(candidates_[winner_].samples, one.samples, samples_of_a_verdict)) {
            one.next_look = std::min(one.next_look, calls_);
        }
    }
}

/// Against the MPI's own nothing need be shown: a lead over it must be beyond the noise.
bool SizeClass::native_takes_over() const {
    const std::vector<double>& own = candidates_.front().samples;
    const std::vector<double>& winners = candidates_[winner_].samples;
    if (winner_ == 0 || own.empty() || ahead_on_average(winners, own)) {
        return false;
    }
    if (ahead_on_average(own, winners, samples_of_a_verdict)) {
        return true;
    }
    const std::size_t pairs = std::min(own.size(), winners.size());
    if (pairs < samples_of_a_verdict) {
        return typical(own) < noise * typical(winners);
    }
    const Estimate lead = ratio_of(own, winners);
    return longer_in_all(own, winners) || lead.value < (pairs < samples_to_be_sure ? noise : 1) ||
           (pairs >= samples_to_be_sure && lead.interval.low <= 1);
}

bool SizeClass::beats(std::size_t challenger) const {
    const Candidate& candidate = candidates_[challenger];
    if (candidate.withdrawn || candidate.samples.empty()) {
        return false;
    }
    const std::vector<double>& winners = candidates_[winner_].samples;
    if (ahead_on_average(winners, candidate.samples, samples_of_a_verdict)) {
        return false;
    }
    if (ahead_on_average(candidate.samples, winners)) {
        return true;
    }
    const double least = *std::min_element(winners.begin(), winners.end());
    const double lead = typical(winners) / typical(candidate.samples);
    if (candidate.samples.size() == 1) {
        return candidate.samples.front() * lead_of_one < least;
    }
    if (candidate.samples.size() == 2) {
        return typical(candidate.samples) * lead_of_two < least;
    }
    if (lead < lead_of_many) {
        return false;
    }
    const bool enough = winner_ != 0 || std::min(winners.size(), candidate.samples.size()) >= pairs_against_the_own;
    return enough && !longer_in_all(winners, candidate.samples) &&
           ratio_of(winners, candidate.samples).interval.low > 1;
}

void SizeClass::crown(std::size_t candidate) {
    if (!candidates_[winner_].samples.empty()) {
        past_seconds_ += static_cast<double>(unmeasured_) * winner_seconds();
        unmeasured_ = 0;
    }
    Candidate& loser = candidates_[winner_];
    winner_ = candidate;
    end_look(loser);
    const auto first = latest(candidates_[winner_].samples, times_of_a_reference);
    reference_.assign(first.begin(), first.end());
    watched_ = 0;
}

bool SizeClass::winner_has_changed() const {
    if (reference_.size() < times_of_a_reference || watched_ < times_to_watch) {
        return false;
    }
    const auto now = latest(candidates_[winner_].samples, times_to_watch);
    const double before = median(reference_);
    const double ratio = median(now) / before;
    const auto [least, most] = std::minmax_element(now.begin(), now.end());
    return (ratio > changed_ratio && *least > before) || (ratio * changed_ratio < 1 && *most < before);
}

/// By its latest time alone.
bool SizeClass::seems_changed() const {
    if (reference_.size() < times_of_a_reference) {
        return false;
    }
    const double ratio = candidates_[winner_].samples.back() / median(reference_);
    return ratio > changed_ratio || ratio * changed_ratio < 1;
}

/// Conditions are others: what was seen of the losers says nothing any more.
void SizeClass::begin_spell() {
    const Account before = account();
    past_seconds_ = before.seconds;
    past_spent_ = before.spent_seconds;
    unmeasured_ = 0;
    agreements_ = 0;
    spell_began_ = calls_;
    for (std::size_t index = 0; index < candidates_.size(); ++index) {
        Candidate& candidate = candidates_[index];
        candidate.explored = 0;
        candidate.explored_seconds = 0;
        candidate.look_turns = 0;
        candidate.next_look = calls_;
        if (index == winner_) {
            const auto now = latest(candidate.samples, times_to_watch);
            candidate.samples = std::vector<double>(now.begin(), now.end());
            reference_ = candidate.samples;
        } else {
            candidate.samples.clear();
        }
    }
}

Turn SizeClass::choose(const Account& others) {
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

/// Whether the winner's next time is wanted and worth an agreement.
bool SizeClass::watches(const Account& others) const {
    const std::size_t wanted = nobody_can_gain() ? times_to_look_on : times_to_watch;
    const bool in_doubt = watched_ > 0 && watched_ < 2 * times_to_watch && seems_changed();
    if (!in_doubt && candidates_[winner_].samples.size() >= wanted && (watched_ >= wanted || saves_up(others))) {
        return false;
    }
    Account together = account();
    together += others;
    return together.spent_seconds + price_of_measuring() <= allowance(together);
}

std::optional<std::size_t> SizeClass::due_challenger(const Account& others) const {
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

bool SizeClass::affordable(std::size_t index, const Account& others) const {
    const Candidate& candidate = candidates_[index];
    const bool routine = hopeless(candidate) || candidate.samples.size() >= samples_of_a_verdict;
    Account together = account();
    together += others;
    return together.spent_seconds + expected_price(index) <= allowance(together) * (routine ? share_of_routine : 1);
}

/// Calls until somebody is looked at again, or the winner is.
std::int64_t SizeClass::rest() const {
    const std::vector<double>& winners = candidates_[winner_].samples;
    if (candidates_.size() == 1 || winners.empty()) {
        return longest_rest;
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

double SizeClass::winner_seconds() const { return typical(candidates_[winner_].samples); }

void SizeClass::withdraw(std::size_t candidate) {
    candidates_[candidate].withdrawn = true;
    candidates_[candidate].samples.clear();
    if (pending_ == candidate) {
        pending_.reset();
        ++unmeasured_;
    }
    if (winner_ == candidate) {
        winner_ = 0;
        reference_.clear();
        watched_ = 0;
    }
    resting_ = 0;
}

Account SizeClass::account() const {
    Account sum{calls_, past_seconds_, past_spent_};
    if (pending_) {
        --sum.calls;
    }
    if (candidates_[winner_].samples.empty()) {
        sum.calls -= unmeasured_;
        return sum;
    }
    const double usual = winner_seconds();
    const double agreeing = static_cast<double>(agreements_) * price_of_measuring();
    sum.seconds += static_cast<double>(unmeasured_) * usual + agreeing;
    sum.spent_seconds += agreeing;
    for (std::size_t index = 0; index < candidates_.size(); ++index) {
        if (index != winner_) {
            const Candidate& one = candidates_[index];
            sum.spent_seconds += std::max(one.explored_seconds - static_cast<double>(one.explored) * usual, 0.0);
        }
    }
    return sum;
}

SizeClass::Seen SizeClass::seen(std::size_t candidate) const {
    return {candidates_[candidate].samples, candidates_[candidate].measured};
}

std::optional<double> SizeClass::typical_seconds(std::size_t candidate) const {
    const std::vector<double>& samples = candidates_[candidate].samples;
    return samples.empty() ? std::nullopt : std::optional(typical(samples));
}

}  // namespace aapc::learning
