#include "offline/search/size_search.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>

#include "aapc/input/statistics.hpp"
#include "aapc/input/totals.hpp"

namespace aapc::searching {

namespace {

/// Of all intervals, such as that of the lead over native: high, since many candidates are tested many times.
constexpr double confidence = 0.995;
/// A smaller lead is not worth another round.
constexpr double noise = noise_of_comparisons;
/// For shorter messages, methods differ by less than times scatter: native stays unless the whole interval is beyond
/// the noise.
constexpr std::int64_t bytes_of_small_differences = 8192;
/// With too few pairs for ranks to say anything after a single slow call, as of a connection that was cold, a lead in
/// sums counts that is so large whichever pair is left out, and in the usual call.
constexpr double large_lead = 1.5;

constexpr std::size_t most_finalists = 3;  // beside native
/// With fewer pairs an interval is worth little.
constexpr std::size_t usual_fewest_pairs = 6;
/// The least there is to a comparison; enough where one is much faster than the other.
constexpr std::size_t fewest_pairs = 3;
constexpr std::size_t usual_pairs = 12;
/// With fewer, not even all of them agreeing reaches the confidence; with as many a small lead can be told.
constexpr std::size_t plenty_of_pairs = 9;
constexpr std::size_t most_pairs = 60;
/// Between two looks: the more looks, the more often chance looks like a lead.
constexpr std::size_t fewest_steps = 3;
constexpr std::size_t most_screening_rounds = 10;

constexpr double share_of_screening = 0.45;
/// Calls are short if a round of all takes no more than this of the size's share; then losers may stay longer.
constexpr double share_of_short_round = 0.1;
constexpr double share_of_warm_up = 0.1;
constexpr int calls_to_find_a_pace = 4;
/// Connections that were idle or carried little take a call or two to find their bandwidth, and those that only one
/// method uses stay cold in between: fewer samples are no evidence against the method without a tuning.
constexpr std::size_t samples_to_be_dropped = 3;

/// How many times as slow as the best a candidate may be after `rounds` rounds. One sample of a short call may be an
/// accident; the lower of two, and the median of three, can be relied on.
double tolerated_slowness(std::size_t rounds, bool short_calls) {
    constexpr double short_ones[] = {5.0, 2.5, 1.6};
    constexpr double long_ones[] = {2.0, 1.5};
    constexpr double later = 1.3;
    if (short_calls) {
        return rounds <= std::size(short_ones) ? short_ones[rounds - 1] : later;
    }
    return rounds <= std::size(long_ones) ? long_ones[rounds - 1] : later;
}

/// Of the first's times over the second's, pair by pair: above 1 the second is faster.
ConfidenceInterval ratio_interval(const std::vector<double>& first, const std::vector<double>& second) {
    return paired_ratio(first, second, confidence).interval;
}

/// The limit for the lower end of the lead after `pairs` pairs. Few pairs need a large lead: where times scatter by a
/// third, all of five pairs are in favour of a method that is a little slower one time in 60.
double needed_lead(std::size_t pairs, std::int64_t bytes) {
    if (pairs >= plenty_of_pairs) {
        return bytes < bytes_of_small_differences ? noise : 1;
    }
    if (pairs >= usual_fewest_pairs) {
        return 1.05;
    }
    return pairs > fewest_pairs ? 1.2 : 1.5;
}

/// Whether the method is significantly faster than native, by ranks of pairs and in total; both have at least
/// fewest_pairs.
bool surely_ahead(const std::vector<double>& native, const std::vector<double>& own, std::int64_t bytes) {
    if (takes_longer_in_all(native, own)) {
        return false;
    }
    const bool by_sums = own.size() >= usual_fewest_pairs && own.size() < plenty_of_pairs &&
                         least_ratio_of_sums(native, own) > large_lead &&
                         lower_median(native) > large_lead * lower_median(own);
    return by_sums || ratio_interval(native, own).low > needed_lead(own.size(), bytes);
}

/// The same numbers everywhere, which std::shuffle and the standard's distributions do not promise.
std::uint64_t next_random(std::uint64_t& state) {
    state += 0x9e3779b97f4a7c15ULL;
    std::uint64_t value = state;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
    return value ^ (value >> 31);
}

void shuffle(std::vector<std::size_t>& values, std::uint64_t state) {
    for (std::size_t left = values.size(); left > 1; --left) {
        std::swap(values[left - 1], values[next_random(state) % left]);
    }
}

}  // namespace

double SizeSearch::Candidate::call_cost() const { return calls > 0 ? spent_seconds / calls : entrant.expected_seconds; }

double SizeSearch::Candidate::median_seconds() const {
    const std::vector<double>& samples = final.empty() ? screening : final;
    return final.empty() ? lower_median(samples) : median(samples);
}

bool SizeSearch::Candidate::must_stay() const {
    return racing && (entrant.untuned || entrant.slowness_before > 0) && final.empty() &&
           screening.size() < samples_to_be_dropped;
}

SizeSearch::SizeSearch(std::int64_t bytes, const std::vector<Entrant>& entrants, double share_seconds, Form form,
                       std::uint64_t seed)
    : bytes_(bytes), share_seconds_(share_seconds), seed_(seed) {
    for (const Entrant& entrant : entrants) {
        candidates_.push_back({entrant, {}, {}, 0, 0, true});
    }
    if (form == Form::screening_and_final) {
        begin_screening();
    } else {
        begin_final();
    }
}

std::size_t SizeSearch::next() const { return candidates_[turns_.front().candidate].entrant.candidate; }

std::size_t SizeSearch::in_the_race() const {
    return static_cast<std::size_t>(std::count_if(candidates_.begin(), candidates_.end(),
                                                  [](const Candidate& candidate) { return candidate.racing; }));
}

void SizeSearch::queue_calls(std::size_t candidate, int uncounted, bool counted) {
    turns_.insert(turns_.end(), static_cast<std::size_t>(uncounted), Turn{candidate, false});
    if (counted) {
        turns_.push_back({candidate, true});
    }
}

/// The first calls of a method open connections and fill caches; where they are affordable they do not count.
void SizeSearch::begin_screening() {
    double all = 0;
    double pace_finders = 0;
    for (const Candidate& candidate : candidates_) {
        all += candidate.entrant.expected_seconds;
        pace_finders += candidate.entrant.finds_its_pace ? candidate.entrant.expected_seconds : 0;
    }
    const double affordable = share_of_warm_up * share_seconds_;
    for (std::size_t candidate = 0; candidate < candidates_.size(); ++candidate) {
        const bool more =
            candidates_[candidate].entrant.finds_its_pace && calls_to_find_a_pace * pace_finders <= affordable;
        queue_calls(candidate, more ? calls_to_find_a_pace : static_cast<int>(all <= affordable), true);
    }
}

void SizeSearch::observe(double seconds, double spent_seconds) {
    const Turn turn = turns_.front();
    turns_.pop_front();
    Candidate& candidate = candidates_[turn.candidate];
    candidate.spent_seconds += spent_seconds;
    ++candidate.calls;
    spent_seconds_ += spent_seconds;
    if (turn.counted) {
        (stage_ == Stage::screening ? candidate.screening : candidate.final).push_back(seconds);
    }
    if (stage_ == Stage::screening && rounds_ == 0 && turn.counted) {
        stop_late_entries();
    }
    while (turns_.empty() && stage_ != Stage::over) {
        advance();
    }
}

/// The screening's time: a part of the share that leaves the best and native their final.
double SizeSearch::screening_share() const {
    double best = std::numeric_limits<double>::infinity();
    for (std::size_t candidate = 1; candidate < candidates_.size(); ++candidate) {
        if (candidates_[candidate].racing && candidates_[candidate].calls > 0) {
            best = std::min(best, candidates_[candidate].call_cost());
        }
    }
    const double round = candidates_.front().call_cost() + (std::isfinite(best) ? best : 0);
    return std::min(share_of_screening * share_seconds_,
                    share_seconds_ - static_cast<double>(plenty_of_pairs + 1) * round);
}

/// In the first round: candidates that were not measured are left out once the next of them would exceed the share. The
/// first one goes into the final without a measurement if it and native are too slow for a screening.
void SizeSearch::stop_late_entries() {
    if (turns_.empty()) {
        return;
    }
    if (spent_seconds_ + candidates_[turns_.front().candidate].call_cost() <= screening_share()) {
        return;
    }
    turns_.clear();
    for (std::size_t candidate = 2; candidate < candidates_.size(); ++candidate) {
        candidates_[candidate].racing = !candidates_[candidate].screening.empty();
    }
}

void SizeSearch::advance() {
    ++rounds_;
    if (stage_ == Stage::screening) {
        after_screening_round();
    } else {
        after_final_round();
    }
}

void SizeSearch::queue_round() {
    std::vector<std::size_t> order;
    for (std::size_t candidate = 0; candidate < candidates_.size(); ++candidate) {
        if (candidates_[candidate].racing) {
            order.push_back(candidate);
        }
    }
    shuffle(order, seed_ ^ (static_cast<std::uint64_t>(bytes_) << 20) ^ (rounds_ << 1) ^
                       static_cast<std::uint64_t>(stage_ == Stage::final));
    for (const std::size_t candidate : order) {
        turns_.push_back({candidate, true});
    }
}

double SizeSearch::round_cost() const {
    return std::accumulate(candidates_.begin(), candidates_.end(), 0.0, [](double sum, const Candidate& candidate) {
        return candidate.racing ? sum + candidate.call_cost() : sum;
    });
}

void SizeSearch::after_screening_round() {
    if (rounds_ == 1) {
        short_calls_ = round_cost() <= share_of_short_round * share_seconds_;
    }
    drop_losers();
    if (screening_goes_on()) {
        queue_round();
    } else {
        begin_final();
    }
}

void SizeSearch::drop_losers() {
    double best = std::numeric_limits<double>::infinity();
    std::size_t leader = 0;
    for (std::size_t candidate = 0; candidate < candidates_.size(); ++candidate) {
        if (candidates_[candidate].racing && !candidates_[candidate].screening.empty() &&
            candidates_[candidate].median_seconds() < best) {
            best = candidates_[candidate].median_seconds();
            leader = candidate;
        }
    }
    const double limit = best * tolerated_slowness(rounds_, short_calls_);
    for (std::size_t candidate = 1; candidate < candidates_.size(); ++candidate) {
        Candidate& one = candidates_[candidate];
        if (!one.racing || candidate == leader || one.screening.empty() || one.must_stay()) {
            continue;
        }
        const bool surely_slower =
            rounds_ >= usual_fewest_pairs && ratio_interval(candidates_[leader].screening, one.screening).high < 1;
        one.racing = one.median_seconds() <= limit && !surely_slower;
    }
}

bool SizeSearch::screening_goes_on() const {
    return in_the_race() > most_finalists + 1 && rounds_ < most_screening_rounds &&
           spent_seconds_ + round_cost() <= screening_share();
}

/// Racing candidates except native: those that must stay or were never measured in their order, then the fastest first.
std::vector<std::size_t> SizeSearch::challengers() const {
    std::vector<std::size_t> order;
    for (std::size_t candidate = 1; candidate < candidates_.size(); ++candidate) {
        if (candidates_[candidate].racing) {
            order.push_back(candidate);
        }
    }
    double best = std::numeric_limits<double>::infinity();
    for (const std::size_t candidate : order) {
        best = candidates_[candidate].measured() ? std::min(best, candidates_[candidate].median_seconds()) : best;
    }
    const auto place = [&](std::size_t candidate) {
        const Candidate& one = candidates_[candidate];
        if (!one.measured() || (one.must_stay() && one.entrant.untuned)) {
            return 0.0;
        }
        // As good as it was, until there is more to go by than calls that may have been cold.
        return one.must_stay() ? std::min(one.median_seconds(), best * one.entrant.slowness_before)
                               : one.median_seconds();
    };
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t one, std::size_t other) { return place(one) < place(other); });
    return order;
}

void SizeSearch::keep_best(std::size_t most) {
    const std::vector<std::size_t> order = challengers();
    for (std::size_t place = most; place < order.size(); ++place) {
        candidates_[order[place]].racing = false;
    }
}

/// As many as can be compared often enough to tell a small lead, with what is left of the share; one at least.
std::size_t SizeSearch::finalists_that_fit() const {
    const std::vector<std::size_t> order = challengers();
    const double left = share_seconds_ - spent_seconds_;
    double cost = candidates_.front().call_cost();
    std::size_t fitting = 0;
    while (fitting < std::min(order.size(), most_finalists)) {
        cost += candidates_[order[fitting]].call_cost();
        if (fitting > 0 && cost * static_cast<double>(plenty_of_pairs + 1) > left) {
            break;
        }
        ++fitting;
    }
    return fitting;
}

void SizeSearch::begin_final() {
    keep_best(finalists_that_fit());
    stage_ = Stage::final;
    rounds_ = 0;
    const double left = share_seconds_ - spent_seconds_;
    next_look_ = first_look();
    if (challengers().empty() || static_cast<double>(fewest_pairs) * round_cost() > left) {
        // Too few samples for a decision: native stays. It is measured at least once, for the report.
        keep_best(0);
        if (candidates_.front().calls == 0) {
            queue_calls(0, 0, true);
        } else {
            stage_ = Stage::over;
        }
        return;
    }
    for (std::size_t candidate = 0; candidate < candidates_.size(); ++candidate) {
        const Candidate& one = candidates_[candidate];
        if (one.racing && one.entrant.finds_its_pace) {
            const bool affordable = calls_to_find_a_pace * one.call_cost() <= share_of_warm_up * left;
            const bool warms_up = one.must_stay() && one.call_cost() <= left - usual_fewest_pairs * round_cost();
            queue_calls(candidate, affordable ? calls_to_find_a_pace : static_cast<int>(warms_up), false);
        } else if (one.racing && one.calls == 0 && one.call_cost() <= share_of_warm_up * left) {
            queue_calls(candidate, 1, false);
        }
    }
    queue_round();
}

/// Rounds before the first look.
std::size_t SizeSearch::first_look() const {
    const double rounds = (share_seconds_ - spent_seconds_) / round_cost();
    return static_cast<std::size_t>(
        std::clamp(rounds, static_cast<double>(fewest_pairs), static_cast<double>(usual_pairs)));
}

void SizeSearch::after_final_round() {
    const bool fits = spent_seconds_ + round_cost() <= share_seconds_;
    if (!fits || rounds_ >= most_pairs || challengers().empty() || (rounds_ >= next_look_ && final_is_decided())) {
        stage_ = Stage::over;
    } else {
        queue_round();
    }
}

/// Whether the best is significantly ahead of native, and no other can be better by more than the noise; or whether the
/// best is significantly not ahead by more than the noise. Drops candidates that are significantly slower than the
/// best.
bool SizeSearch::final_is_decided() {
    const std::vector<std::size_t> order = challengers();
    const std::vector<double>& leader = candidates_[order.front()].final;
    const auto lead = ratio_interval(candidates_.front().final, leader);
    if (lead.high <= noise) {
        return true;
    }
    next_look_ = rounds_ + std::max(fewest_steps, rounds_ / 4);
    bool settled = surely_ahead(candidates_.front().final, leader, bytes_);
    for (std::size_t place = 1; place < order.size(); ++place) {
        const auto ahead = ratio_interval(candidates_[order[place]].final, leader);
        candidates_[order[place]].racing = ahead.low <= 1;
        settled = settled && ahead.low * noise >= 1;
    }
    return settled;
}

/// The candidate that replaces native: the fastest of those that are significantly faster.
std::optional<std::size_t> SizeSearch::winner() const {
    for (const std::size_t candidate : challengers()) {
        const std::vector<double>& own = candidates_[candidate].final;
        if (own.size() >= fewest_pairs && surely_ahead(candidates_.front().final, own, bytes_)) {
            return candidate;
        }
    }
    return std::nullopt;
}

SizeOutcome SizeSearch::outcome() const {
    SizeOutcome outcome;
    outcome.bytes = bytes_;
    outcome.decided = candidates_.front().final.size() >= fewest_pairs;
    const Candidate& native = candidates_.front();
    const std::size_t best = winner().value_or(0);
    const Candidate& chosen = candidates_[best];
    outcome.chosen = chosen.entrant.candidate;
    const std::vector<double>& samples = chosen.final.empty() ? chosen.screening : chosen.final;
    MeasuredSize& evidence = outcome.evidence;
    evidence.bytes = bytes_;
    evidence.native_seconds = native.median_seconds();
    evidence.chosen_seconds = chosen.median_seconds();
    if (best != 0) {
        const Estimate lead = paired_ratio(native.final, chosen.final, confidence);
        evidence.lead = {lead.value, lead.interval.low, lead.interval.high};
    }
    evidence.spread = relative_spread(samples);
    evidence.repeats = static_cast<std::int64_t>(samples.size());
    double second = std::numeric_limits<double>::infinity();
    for (std::size_t candidate = 0; candidate < candidates_.size(); ++candidate) {
        const Candidate& one = candidates_[candidate];
        if (one.screening.empty() && one.final.empty()) {
            continue;
        }
        outcome.seen.push_back({one.entrant.candidate, one.median_seconds()});
        if (candidate != best && one.final.empty() == chosen.final.empty() && one.median_seconds() < second) {
            second = one.median_seconds();
            outcome.runner_up = one.entrant.candidate;
            evidence.runner_up = RunnerUp{{}, second};
        }
    }
    return outcome;
}

}  // namespace aapc::searching
