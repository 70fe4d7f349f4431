// From one communicator to the next: what one has learned goes on where ranks sit alike.
#include <algorithm>

#include "learning/size_class.hpp"

namespace aapc::learning {

namespace {

/// Two thirds of what the winner is expected to gain pay for setting it up once more.
constexpr double gain_over_set_up = 1.5;
/// Calls of the MPI's own that nobody looks at. Other sizes may come meanwhile, and conditions may change.
constexpr std::int64_t shortest_rest_on_trust = 30;
constexpr std::int64_t longest_rest_on_trust = 250;

}  // namespace

std::optional<SizeClass> SizeClass::continued(double set_up_seconds) const {
    const auto own = typical_seconds(0);
    if (candidates_[winner_].samples.empty() || !own) {
        return std::nullopt;
    }
    const std::int64_t communicators = inherited_from_ + (calls_ > inherited_calls_ ? 1 : 0);
    const std::int64_t usual_calls = calls_ / std::max<std::int64_t>(communicators, 1);
    const double gain = static_cast<double>(usual_calls) * (*own - winner_seconds());
    if (winner_ != 0 && gain < gain_over_set_up * set_up_seconds) {
        return std::nullopt;
    }
    SizeClass next = *this;
    next.unmeasured_ += static_cast<std::int64_t>(pending_.size());
    next.pending_.clear();
    next.pending_.reserve(most_pending);
    next.resting_ = 0;
    next.watched_ = 0;
    next.has_agreed_ = false;
    next.opens_session_ = false;
    for (std::size_t index = 1; index < candidates_.size(); ++index) {
        next.prospects_[index].set_up_seconds = set_up_seconds;
        next.candidates_[index].was_set_up = false;
        next.candidates_[index].look_turns = 0;
    }
    next.inherited_ = next.budget();
    next.inherited_calls_ = calls_;
    next.inherited_from_ = communicators;
    next.usual_calls_ = usual_calls;
    return next;
}

void SizeClass::trust(const Budget& others) {
    if (winner_ == 0 && (nobody_can_gain() || !due_challenger(others))) {
        resting_ =
            std::max(rest_until_somebody_is_due(std::clamp(calls_, shortest_rest_on_trust, longest_rest_on_trust)),
                     opening_calls);
    }
}

/// On a communicator that others have been before: as many as on these, until there have been more.
std::int64_t SizeClass::expected_calls() const { return std::max(calls_ - inherited_calls_, usual_calls_); }

Budget SizeClass::budget_here() const {
    Budget here = budget();
    here.calls = std::max<std::int64_t>(here.calls - inherited_.calls, 0);
    here.seconds = std::max(here.seconds - inherited_.seconds, 0.0);
    here.spent_seconds = std::max(here.spent_seconds - inherited_.spent_seconds, 0.0);
    return here;
}

void SizeClass::add_to(Digest& digest) const {
    const auto add_all = [&digest](const std::vector<double>& values) {
        digest.add(values.size());
        std::for_each(values.begin(), values.end(), [&digest](double value) { digest.add(value); });
    };
    digest.add(prospects_.size());
    for (const Prospect& prospect : prospects_) {
        digest.add(prospect.method);
        digest.add(prospect.set_up_seconds);
        digest.add(prospect.least_seconds);
        digest.add(prospect.spread_seconds);
    }
    for (const Candidate& one : candidates_) {
        add_all(one.samples);
        digest.add(one.measured);
        digest.add(one.explored);
        digest.add(one.explored_seconds);
        digest.add(one.next_look);
        digest.add(one.look_turns);
        digest.add(one.was_set_up);
        digest.add(one.led_before);
        digest.add(one.withdrawn);
    }
    add_all(reference_);
    for (const double seconds : {least_seconds_, past_seconds_, past_spent_, agreement_seconds_, inherited_.seconds,
                                 inherited_.spent_seconds}) {
        digest.add(seconds);
    }
    for (const std::int64_t count : {size_, resting_, calls_, unmeasured_, spell_began_, agreements_, inherited_.calls,
                                     inherited_calls_, inherited_from_, usual_calls_}) {
        digest.add(count);
    }
    for (const std::size_t number : {winner_, pending_.size(), watched_}) {
        digest.add(number);
    }
    for (const bool flag : {agrees_anyway_, agreed_once_, has_agreed_, opens_session_}) {
        digest.add(flag);
    }
}

}  // namespace aapc::learning
