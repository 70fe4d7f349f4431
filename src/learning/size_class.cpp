#include "learning/size_class.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <utility>

#include "aapc/statistics/statistics.hpp"
#include "learning/policy.hpp"
#include "learning/times.hpp"

namespace aapc::learning {

namespace {

/// Older times say little about the network as it is.
constexpr std::size_t most_samples = 32;
/// Turns in a row, of the first look: connections that were idle are cold at its first turn.
constexpr std::size_t turns_of_a_look = 2;
constexpr std::size_t times_of_a_reference = 5;
/// A third more, or a third less.
constexpr double changed_ratio = 4.0 / 3.0;

/// Who takes so many times as long after one turn need not have a second, and after a look for a long time.
constexpr double hopeless_at_once = 3.0;
constexpr double hopeless_ratio = 1.3;
constexpr std::int64_t hopeless_growth = 4;
constexpr double latest_second_look = 100;
constexpr std::int64_t earliest_look_at_former_winner = 20;
constexpr std::int64_t usual_growth = 2;
/// With so many a lead that matters has shown.
constexpr std::size_t samples_to_be_sure = 12;
constexpr std::int64_t calls_to_the_next_sample = 2;

/// Few times must show much.
constexpr double lead_of_one = 1.15;
constexpr double lead_of_two = 1.1;
constexpr double lead_of_many = 1.03;
constexpr std::size_t pairs_against_the_own = 3;

/// What a program's first call may take longer since connections are cold.
constexpr double cold_seconds = 0.05;

/// More times as long as the others is an accident. In a program's first calls it takes more to be one: a time-out of
/// TCP, beside calls that are far shorter.
constexpr double accident_ratio = 2;
constexpr double accident_ratio_at_first = 4;

/// What each of several calls one after the other took in general. Those that nobody begins together begin when others
/// are under way: the first of them finds all ranks in step, and takes longer than usual; behind the last one nothing
/// is under way, and it takes less, often no more than the links need. All of them together are what they are, but for
/// one accident, and for what the first one of a program takes longer since its connections are `cold`. In so few calls
/// as those hardly anybody knows an accident from what will happen again.
std::array<double, most_pending> seconds_in_general(std::span<const Measured> told, bool cold) {
    std::array<double, most_pending> seconds{};
    std::transform(told.begin(), told.end(), seconds.begin(), [](const Measured& one) { return one.seconds; });
    if (told.size() < 2) {
        return seconds;
    }
    const auto alike = std::span(seconds).first(told.size());
    const double sum = std::accumulate(alike.begin(), alike.end(), 0.0);
    const auto others = static_cast<double>(alike.size() - 1);
    const auto exceeds_others = [&](double one) { return one - (sum - one) / others; };
    const auto longest = std::max_element(alike.begin(), alike.end());
    const double longer = exceeds_others(*longest);
    const double ratio = cold ? accident_ratio_at_first : accident_ratio;
    const bool accident = longer > (ratio - 1) * (*longest - longer);
    if (cold && accident) {
        std::fill(alike.begin(), alike.end(), (sum - *longest) / others);
        return seconds;
    }
    if (cold) {
        const double of_cold_connections = std::clamp(exceeds_others(alike.front()), 0.0, cold_seconds);
        std::fill(alike.begin(), alike.end(), (sum - of_cold_connections) / (others + 1));
        return seconds;
    }
    const double in_general = accident ? (sum - *longest) / others : sum / (others + 1);
    for (double& one : alike) {
        one = accident && &one == &*longest ? one : in_general;
    }
    return seconds;
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
            candidate.next_look = policy::first_calls;
        }
    } else {
        calls_ = beginning.calls;
        unmeasured_ = beginning.calls;
        const bool measures = agrees_anyway_ || measures_apart();
        resting_ = measures ? 0 : std::max<std::int64_t>(opening_calls - calls_, 0);
    }
    pending_.reserve(most_pending);
}

Turn SizeClass::next(std::span<const Measured> told, const Budget& others) {
    if (own_goes_on()) {
        pending_.push_back(0);
        ++calls_;
        return {0, true, true};
    }
    const bool agreed = !pending_.empty();
    if (agreed) {
        count_agreement(told);
    }
    if (told.size() == pending_.size()) {
        const auto in_general = seconds_in_general(told, candidates_.front().samples.empty());
        for (std::size_t turn = 0; turn < told.size(); ++turn) {
            const std::size_t candidate = pending_.front();
            pending_.erase(pending_.begin());
            observe(candidate, told[turn], in_general[turn]);
            judge();
        }
    }
    forget_pending();
    return turn_after(agreed, others);
}

void SizeClass::forget_pending() {
    unmeasured_ += static_cast<std::int64_t>(pending_.size());
    pending_.clear();
}

/// The agreement before the first of several turns tells of none, and costs as much.
void SizeClass::count_agreement(std::span<const Measured> told) {
    agreements_ += opens_session_ ? 2 : 1;
    if (!told.empty()) {
        const double seconds = told.back().agreement_seconds;
        agreement_seconds_ = agreed_once_ ? std::min(agreement_seconds_, seconds) : seconds;
        agreed_once_ = true;
    }
}

void SizeClass::observe(std::size_t index, const Measured& measured, double in_general) {
    Candidate& candidate = candidates_[index];
    const double seconds = in_general * measured.to_class_size;
    // Accidents make calls longer and never shorter: one that was slow is not what it was. A winner is watched instead.
    if (index != winner_ && !candidate.samples.empty() && seconds * changed_ratio < typical(candidate.samples)) {
        candidate.samples.clear();
    }
    if (index == winner_ && !candidate.samples.empty()) {
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
    if (index == winner_) {
        ++watched_;
        if (reference_.size() < times_of_a_reference) {
            reference_.push_back(seconds);
        }
        return;
    }
    ++candidate.explored;
    candidate.explored_seconds += seconds;
    const bool first_look = candidate.samples.size() <= turns_of_a_look;
    // By itself behind an exchange by the clock the MPI's own may take less than among its like: who is slower even so
    // is not helped by another turn.
    const double slow_even_so = disturbs(candidate) ? lead_of_one : hopeless_at_once;
    const double too_slow = first_look ? slow_even_so : hopeless_ratio;
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
    } else if (candidate.led_before && hopeless(candidate)) {
        // What made it slow may go as it came, and who has taken its place need not show it.
        candidate.next_look = spell_began_ + std::max(usual_growth * calls, earliest_look_at_former_winner);
    } else if (hopeless(candidate)) {
        // A program's first calls pass fast. Who is twice as slow is dearer to look at than who is a third slower.
        const double dearness = (typical(candidate.samples) / winner_seconds() - 1) / (hopeless_ratio - 1);
        const auto earliest = static_cast<std::int64_t>(
            std::min(dearness * static_cast<double>(hopeless_growth * policy::first_calls), latest_second_look));
        candidate.next_look = spell_began_ + std::max(hopeless_growth * calls, earliest);
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

/// In two calls at least, or in one if each disturbs others, and by more than would be tried again at once.
bool SizeClass::always_slower(const Candidate& candidate) const {
    const std::vector<double>& winners = candidates_[winner_].samples;
    const std::size_t calls = disturbs(candidate) ? 1 : turns_of_a_look;
    return std::min(winners.size(), candidate.samples.size()) >= calls &&
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
    if (winner_ == 0 || own.size() < (measures_apart() ? times_of_a_take_over : 1) || ahead_on_average(winners, own)) {
        return false;
    }
    if (ahead_on_average(own, winners, samples_of_a_verdict)) {
        return true;
    }
    const std::size_t pairs = std::min(own.size(), winners.size());
    if (pairs < samples_of_a_verdict) {
        return typical(own) < noise_of_comparisons * typical(winners);
    }
    const Estimate lead = ratio_of(own, winners);
    return longer_in_all(own, winners) || lead.value < (pairs < samples_to_be_sure ? noise_of_comparisons : 1) ||
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
    const Budget before = budget();
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
        candidate.led_before = index == winner_;
        if (index == winner_) {
            const auto now = latest(candidate.samples, times_to_watch);
            candidate.samples = std::vector<double>(now.begin(), now.end());
            reference_ = candidate.samples;
        } else {
            candidate.samples.clear();
        }
    }
}

double SizeClass::winner_seconds() const { return typical(candidates_[winner_].samples); }

void SizeClass::withdraw(std::size_t candidate) {
    candidates_[candidate].withdrawn = true;
    candidates_[candidate].samples.clear();
    if (!pending_.empty() && pending_.back() == candidate) {
        pending_.pop_back();
        ++unmeasured_;
    }
    if (winner_ == candidate) {
        winner_ = 0;
        reference_.clear();
        watched_ = 0;
    }
    resting_ = 0;
}

Budget SizeClass::budget() const {
    Budget sum{calls_, past_seconds_, past_spent_};
    sum.calls -= static_cast<std::int64_t>(pending_.size());
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

Seen SizeClass::seen(std::size_t candidate) const {
    return {candidates_[candidate].samples, candidates_[candidate].measured};
}

std::optional<double> SizeClass::typical_seconds(std::size_t candidate) const {
    const std::vector<double>& samples = candidates_[candidate].samples;
    return samples.empty() ? std::nullopt : std::optional(typical(samples));
}

}  // namespace aapc::learning
