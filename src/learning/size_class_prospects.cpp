// What a candidate may be worth, and cost, before it has had a turn.
#include <algorithm>
#include <cmath>

#include "aapc/statistics/totals.hpp"
#include "learning/size_class.hpp"
#include "learning/times.hpp"

namespace aapc::learning {

namespace {

/// Of a candidate of which nothing is known but that somebody believes in it.
constexpr double expected_excess_of_unknown = 0.25;
/// Nobody takes more times what it takes at least, where that is known.
constexpr double trust_in_models = 2;
constexpr double least_expected_excess = 0.1;
/// Nobody knows how many calls there will be: as many as there have been, and of what could be gained at most two
/// thirds where no more is known.
constexpr double gain_over_price = 1.5;
/// What it costs a call of the MPI's own, where that takes long, that its ranks are in step: behind an agreement, or
/// behind an exchange by the clock. 0.4 to 2 were seen.
constexpr double share_of_disturbance = 0.5;
/// A time that far below what the links can do shows that they are not as described.
constexpr double credible_least = 0.8;

}  // namespace

/// Of somebody of whom nothing is known but perhaps a model.
double SizeClass::expected_excess(std::size_t index) const {
    const double usual = winner_seconds();
    const double unknown = expected_excess_of_unknown * usual;
    const double least = prospects_[index].least_seconds;
    return least > 0 ? std::clamp(trust_in_models * least - usual, least_expected_excess * usual, unknown) : unknown;
}

/// Of somebody who has been seen. A call of the MPI's own between two of somebody else's, whose ranks are in step,
/// takes longer than among its like: until one has been seen it is guessed by how much.
double SizeClass::seen_excess(std::size_t index) const {
    const Candidate& candidate = candidates_[index];
    double seconds = typical(candidate.samples);
    if (index == 0 && measures_apart()) {
        seconds = candidate.explored > 0
                      ? std::max(seconds, candidate.explored_seconds / static_cast<double>(candidate.explored))
                      : seconds * (1 + share_of_disturbance);
    }
    return std::max(seconds - winner_seconds(), 0.0);
}

/// Of a turn: what it takes longer than the winner, its set-up and its agreement.
double SizeClass::expected_price(std::size_t index) const {
    const Candidate& candidate = candidates_[index];
    const double excess = candidate.samples.empty() ? expected_excess(index) : seen_excess(index);
    return excess + price_of_measuring() + (candidate.was_set_up ? 0 : prospects_[index].set_up_seconds);
}

/// In one call that takes so long by the winner, at most. A winner that takes far less than the links need shows that
/// they are not as described.
double SizeClass::possible_gain(std::size_t index, double usual) const {
    const bool credible = usual >= credible_least * least_seconds_;
    return credible ? usual - std::max(least_seconds_, prospects_[index].least_seconds) : usual;
}

/// In one call. Who may take anything from his least on, up to some time, gains what he is faster where he is faster.
double SizeClass::expected_gain(std::size_t index) const {
    const double most = possible_gain(index, winner_seconds());
    const double spread = prospects_[index].spread_seconds;
    if (spread <= 0 || most <= 0 || !candidates_[index].samples.empty()) {
        return most / gain_over_price;
    }
    return most < spread ? most * most / (2 * spread) : most - spread / 2;
}

/// Against the MPI's own, beyond the noise. By all that has been seen of it: one look that was slow by chance does not
/// make a gain of nothing.
bool SizeClass::nobody_can_gain() const {
    if (winner_ != 0 || candidates_.front().samples.empty()) {
        return false;
    }
    const double usual = lower_median(candidates_.front().samples);
    for (std::size_t index = 1; index < candidates_.size(); ++index) {
        if (!candidates_[index].withdrawn && possible_gain(index, usual) > (noise_of_comparisons - 1) * usual) {
            return false;
        }
    }
    return true;
}

/// Whether a turn pays in as many calls as there have been, by what may be gained. A program of few calls has
/// nothing of a candidate that is dear to set up, and where nearly nothing can be gained nobody is looked at again.
bool SizeClass::worth_its_price(std::size_t index) const {
    const std::int64_t calls = candidates_[index].was_set_up ? calls_ : expected_calls();
    const double gain = static_cast<double>(calls) * expected_gain(index);
    // A call that has been agreed on disturbs the MPI's own, if it is not somebody else's.
    const double spared = has_agreed_ && is_disturbed() ? share_of_disturbance * winner_seconds() : 0;
    return gain >= expected_price(index) - spared;
}

/// From which call on somebody of whom nothing is known is worth a turn.
std::int64_t SizeClass::calls_that_pay(std::size_t index) const {
    constexpr double most_calls = 1e9;
    const double gain = expected_gain(index);
    const double price = expected_price(index);
    const auto calls = static_cast<std::int64_t>(price < most_calls * gain ? std::ceil(price / gain) : most_calls);
    return calls <= usual_calls_ ? calls_ : inherited_calls_ + calls;
}

/// Whether somebody of whom nothing is known is worth a turn that cannot be paid for yet.
bool SizeClass::saves_up(const Budget& others) const {
    for (std::size_t index = 0; index < candidates_.size(); ++index) {
        const Candidate& one = candidates_[index];
        if (index != winner_ && !one.withdrawn && one.samples.empty() && one.next_look <= calls_ &&
            worth_its_price(index) && !affordable(index, others)) {
            return true;
        }
    }
    return false;
}

}  // namespace aapc::learning
