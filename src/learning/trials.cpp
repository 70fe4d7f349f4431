// The model.
//
//     cost of a call  = mean over ranks of (next entry - entry) - least over ranks of (next entry - return)
//     prior           = least .. least + 2 * (bound / 0.9 - bound), evenly; unknown where no bound is known
//     expected gain   = E[max(winner's cost - candidate's cost, 0)] per call
//     expected price  = excess over the winner's cost + set-up + agreement
//     lead            = value(other) / value(one) - 1, to be beyond spread / sqrt(samples)
//
// "Next entry" is the entry of the next call on the communicator, so a cost is what the program pays between two calls
// less the least time that any rank needs outside of them: with a barrier after each call that is the time until the
// last rank is through, without one it is what calls delay each other. Native calls are never preceded by a barrier.
// They may leave ranks late, and then a scheduled call behind one waits: what that takes longer is a native cost.
//
// The states.
//
//     OPENING --native costs known--> CHOOSE
//     CHOOSE --a challenger is worth its price, and affordable--> TRY --result--> CHOOSE
//     CHOOSE --none is--> EXPLOIT (n calls) --n over--> WATCH --result--> CHOOSE
//     result: winner as it was: CHOOSE; winner has changed: new epoch, evidence on losers is void: CHOOSE
//     (any state) --a candidate cannot be set up--> it is withdrawn: CHOOSE
//
// A block has 1, then 2, then 4, then 8 calls by one candidate. Its result is published with the next call on the
// communicator and known with the one after; the call in between is "in flight", and the winner serves it, or the
// challenger where its model leaves no doubt. The first call after a change of method finds cold connections, or fewer
// messages on the way than usual: it is a price, and evidence only until a later call of the same method is known.
#include "learning/trials.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

#include "learning/policy.hpp"
#include "learning/reasons.hpp"

namespace aapc::learning {

namespace {

/// Calls of the winner that have to differ from as many or more before them.
constexpr std::size_t samples_of_a_change = 4;

}  // namespace

Trials::Trials(Beginning beginning)
    : prospects_(std::move(beginning.prospects)),
      least_seconds_(beginning.least_seconds),
      size_(beginning.size),
      agreement_seconds_(beginning.agreement_seconds),
      share_of_ranks_(beginning.share_of_ranks),
      publishes_early_(beginning.publishes_early || is_long()),
      candidates_(prospects_.size()),
      calls_(beginning.calls),
      unmeasured_(beginning.calls) {
    for (Evidence& one : candidates_) {
        one.reserve();
    }
    opens_early_ = beginning.opens_early && is_long() && is_early_trial_worth_it();
    if (prospects_.size() == 1) {
        state_ = State::exploit;
        resting_ = policy::longest_rest;
    } else if (beginning.winner) {
        state_ = State::watch;
        winner_ = *beginning.winner;
        for (Evidence& one : candidates_) {
            one.next_look = policy::first_calls;
        }
    }
}

Trial Trials::next(const Budget& others) {
    std::optional<Trial> trial;
    while (!trial) {
        switch (state_) {
            case State::opening:
                trial = step_opening();
                break;
            case State::choose:
                trial = step_choose(others);
                break;
            case State::try_:
                trial = step_try(others);
                break;
            case State::exploit:
                trial = step_exploit();
                break;
            case State::watch:
                trial = step_watch();
                break;
        }
    }
    ++calls_;
    unmeasured_ += trial->measured ? 0 : 1;
    previous_ = trial->candidate;
    return *trial;
}

/// OPENING: one call whose result is waited for where a candidate can serve the second one; two where calls are long,
/// so that the fourth knows of them; else three.
std::optional<Trial> Trials::step_opening() {
    if (in_flight_ || has_full_block()) {
        return Trial{0, false};
    }
    if (wanted_ == 0) {
        begin_block(0, opens_early_ ? 1 : publishes_early_ ? opening_calls - 1 : opening_calls);
        block_is_cold_ = true;
    }
    return fill();
}

/// Whether calls are long beside an agreement on what they cost: it takes no more than two of them are expected to
/// scatter by.
bool Trials::is_long() const {
    return least_seconds_ > 0 && agreement_seconds_ <= 2 * policy::prior_spread * least_seconds_;
}

/// Whether a candidate is worth a trial in the second call, by what is believed before the first one.
bool Trials::is_early_trial_worth_it() const {
    for (std::size_t index = 1; index < candidates_.size(); ++index) {
        const Prospect& prospect = prospects_[index];
        const double price = prospect.set_up_seconds + agreement_seconds_;
        if (has_model(index) && policy::beyond_doubt * least_seconds_ - *expected_seconds(index) >= price) {
            return true;
        }
    }
    return false;
}

/// CHOOSE: who is tried next, if any candidate is.
std::optional<Trial> Trials::step_choose(const Budget& others) {
    const Evidence& winner = candidates_[winner_];
    const auto challenger = winner.samples.empty() ? std::nullopt : due_challenger(others);
    if (!challenger) {
        state_ = winner.samples.empty() || is_in_doubt() ? State::watch : State::exploit;
        resting_ = state_ == State::watch ? 0 : rest(others);
        return std::nullopt;
    }
    const Evidence& one = candidates_[*challenger];
    if (!one.samples.empty() && seems_faster(one) && winner.samples.size() < one.samples.size()) {
        // More samples of the challenger alone would not make its lead surer.
        begin_block(winner_, std::min<std::size_t>(one.samples.size() - winner.samples.size(), longest_block));
        state_ = State::watch;
        return fill();
    }
    begin_block(*challenger, static_cast<std::size_t>(one.look));
    state_ = State::try_;
    return std::nullopt;
}

/// TRY: the challenger serves a block; while that is in flight, another candidate may have its first look.
std::optional<Trial> Trials::step_try(const Budget& others) {
    if (filled_ < wanted_) {
        return fill();
    }
    if (in_flight_ && wanted_ == 0 && serves_in_flight(flight_of_)) {
        begin_block(flight_of_, static_cast<std::size_t>(candidates_[flight_of_].look));
        return fill();
    }
    // Only while nothing is better than native: then a second candidate is worth the haste.
    const bool hastens = wanted_ == 0 && winner_ == 0 && candidates_[flight_of_].samples.empty();
    const auto other = hastens ? due_challenger(others) : std::nullopt;
    if (other && candidates_[*other].samples.empty()) {
        begin_block(*other, 1);
        return fill();
    }
    return Trial{winner_, false};
}

/// EXPLOIT: the winner serves, and no call is measured. skip() counts these calls.
std::optional<Trial> Trials::step_exploit() {
    if (prospects_.size() == 1) {
        resting_ = policy::longest_rest;
    }
    if (resting_ > 0) {
        --resting_;
        return Trial{winner_, false};
    }
    state_ = State::watch;
    return std::nullopt;
}

/// WATCH: the winner serves a block, as long as the price of its agreement asks for.
std::optional<Trial> Trials::step_watch() {
    if (in_flight_ || has_full_block()) {
        return Trial{winner_, false};
    }
    if (wanted_ == 0) {
        const bool few = winner_ == 0 && candidates_[0].samples.size() < opening_calls;
        const auto most = static_cast<double>(few || is_native_in_doubt() ? opening_calls - 1 : longest_block);
        begin_block(winner_, static_cast<std::size_t>(std::clamp(calls_for_an_agreement(), 1.0, most)));
    }
    return fill();
}

void Trials::begin_block(std::size_t candidate, std::size_t calls) {
    const bool is_followed = candidate == 0 && winner_ != 0;
    block_of_ = candidate;
    look_ = std::min(calls, longest_block - (is_followed ? 1 : 0));
    wanted_ = look_ + (is_followed ? 1 : 0);
    filled_ = 0;
    block_is_cold_ = candidate != previous_;
}

Trial Trials::fill() {
    ++filled_;
    return {filled_ > look_ ? winner_ : block_of_, true};
}

void Trials::publish() {
    in_flight_ = true;
    flight_opens_ = state_ == State::opening;
    flight_of_ = block_of_;
    flight_calls_ = filled_;
    flight_look_ = look_;
    flight_is_cold_ = block_is_cold_;
    filled_ = 0;
    wanted_ = 0;
}

void Trials::lose() {
    unmeasured_ += static_cast<std::int64_t>(flight_calls_);
    flight_calls_ = 0;
    in_flight_ = false;
    if (state_ != State::opening && wanted_ == 0) {
        state_ = State::choose;
    }
}

void Trials::drop() {
    unmeasured_ += static_cast<std::int64_t>(filled_);
    filled_ = 0;
    wanted_ = 0;
    if (state_ != State::opening && !in_flight_) {
        state_ = State::choose;
    }
}

void Trials::learn(const Block& block) {
    past_seconds_ += agreement_seconds_ + block.set_up_seconds;
    past_spent_ += agreement_seconds_ + block.set_up_seconds;
    for (std::size_t call = 0; call < block.calls; ++call) {
        past_seconds_ += block.seconds[call];
    }
    const Block own = without_call_behind(block);
    candidates_[flight_of_].measured += static_cast<std::int64_t>(own.calls);
    candidates_[flight_of_].was_set_up = true;
    if (flight_opens_) {
        observe_opening(own);
    } else {
        observe(own);
    }
    flight_calls_ = 0;
    in_flight_ = false;
    if (wanted_ == 0) {
        state_ = State::choose;
    }
    judge();
    if (flight_of_ != winner_) {
        Evidence& one = candidates_[flight_of_];
        const std::int64_t longest = std::clamp<std::int64_t>(calls_ / policy::first_calls, 1, longest_block);
        one.look = std::min<std::int64_t>(2 * one.look, longest);
        end_look(flight_of_);
    }
}

/// A look at the native routine is followed by a call of the winner: native calls leave ranks late, and all wait for
/// them in the next call. What that one takes longer than usual is added to the native call if there is one only. Of
/// several, the ones behind the first have waited for such ranks, as they would if native calls served alone: then it
/// is spent for learning.
Block Trials::without_call_behind(const Block& block) {
    Block own = block;
    own.calls = std::min(block.calls, flight_look_);
    if (own.calls < block.calls && !candidates_[winner_].samples.empty()) {
        const double later = std::max(block.seconds[own.calls] - winner_seconds() / block.to_class_size, 0.0);
        if (own.calls == 1) {
            own.seconds.front() += later;
        } else {
            past_spent_ += later * block.to_class_size;
        }
    }
    return own;
}

/// The first call found cold connections. Alone it says little: between what it took and what it takes without them,
/// at least the bound. One call may be an accident, unless the others were too fast to be true.
void Trials::observe_opening(const Block& block) {
    auto all = block.seconds;
    const std::span seconds = std::span(all).first(block.calls);
    const double least_warm = seconds.front() - policy::cold_seconds;
    if (seconds.size() > 1) {
        seconds.front() = std::max(least_warm, std::min(seconds.front(), seconds[1]));
    } else if (seconds.front() > least_seconds_) {
        seconds.front() = (seconds.front() + std::max(least_warm, least_seconds_)) / 2;
    }
    candidates_[0].is_cold = seconds.size() == 1;
    const double least = *std::min_element(seconds.begin(), seconds.end());
    for (const double one : seconds) {
        if (one <= policy::accident * least || is_too_fast(least)) {
            candidates_[0].add(one * block.to_class_size);
        }
    }
}

void Trials::observe(const Block& block) {
    Evidence& one = candidates_[flight_of_];
    const bool is_winner = flight_of_ == winner_;
    if (is_winner && !one.samples.empty()) {
        past_seconds_ += static_cast<double>(unmeasured_) * winner_seconds();
        unmeasured_ = 0;
    }
    for (std::size_t call = 0; call < block.calls; ++call) {
        const double seconds = block.seconds[call] * block.to_class_size;
        const bool is_cold = call == 0 && flight_is_cold_;
        if (is_cold && block.calls > 1) {
            continue;  // a later call is known
        }
        if (is_cold && !one.samples.empty() && !one.is_cold && seconds > one.typical()) {
            continue;
        }
        if (one.is_cold && !one.samples.empty() && seconds < one.samples.front()) {
            if (is_native_unknown() && flight_of_ != 0) {
                // It came behind the first native call.
                candidates_[0].samples.front() +=
                    std::max(one.samples.front() - (1 + policy::prior_spread) * seconds, 0.0);
            }
            one.samples.clear();
        }
        // Accidents make calls longer and never shorter: a loser that was slower than this is not what it was.
        if (!is_winner && !one.samples.empty() && seconds * policy::changed < one.typical()) {
            one.samples.clear();
        }
        one.is_cold = is_cold && one.samples.empty();
        one.add(seconds);
    }
    if (is_winner) {
        ++watched_;
        return;
    }
    if (!candidates_[winner_].samples.empty()) {
        const double all = std::accumulate(block.seconds.begin(), block.seconds.begin() + block.calls, 0.0);
        const double usual = static_cast<double>(block.calls) * winner_seconds();
        past_spent_ += std::max(all * block.to_class_size - usual, 0.0);
    }
}

void Trials::judge() {
    if (candidates_[winner_].samples.empty()) {
        return;
    }
    // First of all: what losers took before a change is no reason to go to them.
    if (has_changed()) {
        begin_epoch();
    }
    for (std::size_t index = 0; index < candidates_.size(); ++index) {
        const Evidence& one = candidates_[index];
        const bool leads = winner_ == 0 && is_native_unknown()
                               ? !one.samples.empty() && one.typical() < winner_seconds()
                               : beats(one, candidates_[winner_]);
        if (index != winner_ && !one.withdrawn && leads) {
            promote(index);
        }
    }
}

/// Beyond the spread of both. Against the native routine a lead below the noise of programs is none.
bool Trials::beats(const Evidence& one, const Evidence& other) const {
    if (one.samples.empty() || other.samples.empty() || other.is_ahead_on_average_of(one)) {
        return false;
    }
    if (one.is_ahead_on_average_of(other)) {
        return true;
    }
    const auto samples = static_cast<double>(std::min(one.samples.size(), other.samples.size()));
    // Of costs of which one is seen to scatter the other one scatters as well.
    const double spread = std::sqrt(2 / samples) * std::max(one.spread(), other.spread());
    const double for_native = &one == &candidates_.front() ? 1 + policy::least_lead : 1;
    return one.typical() * (1 + std::max(spread, policy::least_lead)) < other.typical() * for_native;
}

bool Trials::seems_faster(const Evidence& one) const {
    const Evidence& winner = candidates_[winner_];
    return !one.samples.empty() && one.typical() < winner.usual() && !winner.is_ahead_on_average_of(one);
}

/// Whether its prior makes it seem faster in spite of few samples that say otherwise.
bool Trials::may_be_faster(std::size_t index) const {
    const Evidence& winner = candidates_[winner_];
    return candidates_[index].samples.size() < opening_calls && expected_seconds(index) < winner.usual() &&
           !winner.is_ahead_on_average_of(candidates_[index]);
}

/// When a loser is looked at again: at once while it seems faster, soon while it is not surely slower, else after so
/// many calls that a look is a small share of them, and after twice as many as there have been in this epoch.
void Trials::end_look(std::size_t index) {
    Evidence& loser = candidates_[index];
    if (loser.samples.empty() || candidates_[winner_].samples.empty()) {
        return;
    }
    const std::int64_t calls = calls_ - epoch_began_;
    const double slower = loser.typical() / winner_seconds() - 1;
    const auto share =
        static_cast<std::int64_t>(std::clamp(slower * static_cast<double>(loser.look) / policy::look_share, 0.0, 1e9));
    if (index == 0 && is_native_unknown()) {
        loser.next_look = policy::first_calls;
    } else if (seems_faster(loser) || may_be_faster(index)) {
        loser.next_look = calls_;
    } else if (!beats(candidates_[winner_], loser)) {
        loser.next_look = calls_ + std::max(calls / 8, share);
    } else {
        loser.look = 1;
        const std::int64_t doubled = policy::back_off * calls;
        // What made the former winner slow may go as it came, and its successor's calls need not show it.
        loser.next_look = epoch_began_ + (loser.led_before ? std::max(doubled, policy::back_off * policy::first_calls)
                                                           : std::max(doubled, share));
    }
}

void Trials::promote(std::size_t candidate) {
    if (!candidates_[winner_].samples.empty()) {
        past_seconds_ += static_cast<double>(unmeasured_) * winner_seconds();
        unmeasured_ = 0;
    }
    const std::size_t loser = std::exchange(winner_, candidate);
    watched_ = 0;
    candidates_[loser].look = 1;
    end_look(loser);
}

bool Trials::has_changed() const {
    const std::vector<double>& samples = candidates_[winner_].samples;
    if (samples.size() < 2 * samples_of_a_change) {
        return false;
    }
    const std::span now = std::span(samples).last(samples_of_a_change);
    const double before = candidates_[winner_].median_of_first(samples.size() - samples_of_a_change);
    const double ratio = candidates_[winner_].median_of_last(samples_of_a_change) / before;
    const auto [least, most] = std::minmax_element(now.begin(), now.end());
    return (ratio > policy::changed && *least > before) || (ratio * policy::changed < 1 && *most < before);
}

/// The latest cost of the winner is not what it was, and a few more will show whether that lasts.
bool Trials::is_in_doubt() const {
    const std::vector<double>& samples = candidates_[winner_].samples;
    if (samples.size() <= samples_of_a_change || watched_ == 0 || watched_ > 2 * samples_of_a_change) {
        return false;
    }
    const double ratio = samples.back() / candidates_[winner_].median_of_first(samples.size() - 1);
    return ratio > policy::changed || ratio * policy::changed < 1;
}

/// Native calls that wait for time-outs may take hardly more than the bound in the two that are known, so that no
/// candidate seems worth a trial; or the first one did, and the second was taken for an accident. Two more are
/// published as soon as can be.
bool Trials::is_native_in_doubt() const {
    const std::vector<double>& samples = candidates_[0].samples;
    if (winner_ != 0 || !publishes_early_ || samples.empty() || samples.size() >= samples_of_a_change) {
        return false;
    }
    if (candidates_[0].measured > static_cast<std::int64_t>(samples.size())) {
        return true;
    }
    const double usual = winner_seconds();
    for (std::size_t index = 1; index < candidates_.size(); ++index) {
        if (!candidates_[index].samples.empty() || expected_gain(index) > policy::prior_spread * usual) {
            return false;
        }
    }
    return true;
}

void Trials::begin_epoch() {
    past_seconds_ = budget().seconds;
    unmeasured_ = 0;
    epoch_began_ = calls_;
    watched_ = 0;
    for (std::size_t index = 0; index < candidates_.size(); ++index) {
        Evidence& one = candidates_[index];
        one.look = 1;
        one.next_look = calls_;
        one.led_before = index == winner_;
        if (index == winner_) {
            one.samples.erase(one.samples.begin(), one.samples.end() - samples_of_a_change);
        } else {
            one.samples.clear();
            one.is_cold = false;
        }
    }
}

double Trials::winner_seconds() const { return believed_seconds(winner_); }

/// Of a candidate with a sample.
double Trials::believed_seconds(std::size_t candidate) const {
    return is_believed(candidate) ? policy::beyond_doubt * least_seconds_ : candidates_[candidate].typical();
}

/// Of a native routine of which only the first call is known, twice the bound is believed, unless that call was too
/// fast for the bound to be true: a first call takes longer for cold connections, and less where its last messages are
/// still on their way when ranks return.
bool Trials::is_believed(std::size_t candidate) const {
    return candidate == 0 && is_native_unknown() && !is_too_fast(candidates_[0].typical());
}

bool Trials::is_too_fast(double seconds) const { return seconds * (1 + 2 * policy::prior_spread) < least_seconds_; }

/// Of a call that takes `usual` by the winner. A winner that takes far less than the bound shows that links are not as
/// described, and anything may be gained.
double Trials::possible_gain(std::size_t candidate, double usual) const {
    const double least = std::max(least_seconds_, prospects_[candidate].least_seconds);
    return is_too_fast(usual) ? usual : usual - least;
}

double Trials::expected_gain(std::size_t candidate) const {
    const double most = possible_gain(candidate, winner_seconds());
    const double least = std::max(least_seconds_, prospects_[candidate].least_seconds);
    if (most <= 0 || least <= 0 || !candidates_[candidate].samples.empty()) {
        const double less = is_believed(candidate) ? policy::beyond_doubt : 1;
        return std::max(most, 0.0) / (policy::doubt * less);
    }
    const double spread = prior_spread_seconds(candidate);
    return most < spread ? most * most / (2 * spread) : most - spread / 2;
}

double Trials::prior_spread_seconds(std::size_t candidate) const {
    const double known = prospects_[candidate].spread_seconds;
    const double least = std::max(least_seconds_, prospects_[candidate].least_seconds);
    return known > 0 ? known : 2 * (1 / policy::link_efficiency - 1) * least;
}

double Trials::expected_price(std::size_t candidate, std::int64_t calls) const {
    const Evidence& one = candidates_[candidate];
    const double usual = winner_seconds();
    // A native call of twice the bound is hardly the better one.
    const bool is_risky = least_seconds_ <= 0 || usual < policy::beyond_doubt * least_seconds_;
    const double risk = is_risky ? policy::trial_risk * usual : 0;
    const bool may_be_fast = candidate == 0 && is_native_unknown() && seems_faster(one);
    const double excess =
        one.samples.empty() || may_be_fast ? risk : std::max(believed_seconds(candidate) - usual, 0.0);
    const double set_up = one.was_set_up ? 0 : prospects_[candidate].set_up_seconds;
    return static_cast<double>(calls) * excess + agreement_seconds_ + set_up;
}

/// Expected gain over expected price, in as many calls as there have been.
double Trials::gain_over_price(std::size_t candidate) const {
    const bool inherits = !candidates_[candidate].was_set_up && inherited_from_ > 0;
    const std::int64_t calls = inherits ? std::max(calls_ - inherited_calls_, usual_calls_) : calls_;
    return static_cast<double>(calls) * expected_gain(candidate) /
           expected_price(candidate, candidates_[candidate].look);
}

bool Trials::affordable(double price, const Budget& others) const {
    Budget together = budget();
    together += others;
    // What a trial costs is known, and counts, two calls later.
    if (together.calls > 0) {
        together.seconds *= 1 + 2 / static_cast<double>(together.calls);
        together.calls += 2;
    }
    return together.spent_seconds + price <= allowed_seconds(together);
}

bool Trials::no_candidate_can_gain() const {
    const double usual = winner_seconds();
    for (std::size_t index = 0; index < candidates_.size(); ++index) {
        if (index != winner_ && !candidates_[index].withdrawn &&
            possible_gain(index, usual) > policy::least_lead * usual) {
            return false;
        }
    }
    return true;
}

/// Whether the first look at a candidate is expected to gain more than it costs, whatever comes after it: then it is no
/// expense, and needs no budget.
bool Trials::pays_by_itself(std::size_t candidate) const {
    const Evidence& one = candidates_[candidate];
    return one.samples.empty() && has_model(candidate) &&
           static_cast<double>(one.look) * expected_gain(candidate) >=
               policy::beyond_doubt * expected_price(candidate, one.look);
}

bool Trials::has_model(std::size_t candidate) const { return prospects_[candidate].least_seconds > least_seconds_; }

/// A block of a challenger is in flight: whether its next call is the challenger's as well. Not that of a native
/// routine whose first call alone is known: behind another's it says little, and the one after may take three times as
/// long.
bool Trials::serves_in_flight(std::size_t challenger) const {
    const Evidence& one = candidates_[challenger];
    if (one.withdrawn || candidates_[winner_].samples.empty() || is_believed(challenger)) {
        return false;
    }
    if (!one.samples.empty()) {
        // Behind the first native call it may have waited for ranks that are late from there.
        const bool has_waited = is_native_unknown() && one.is_cold && one.typical() > policy::accident * least_seconds_;
        return seems_faster(one) || has_waited;
    }
    return has_model(challenger)
               ? expected_gain(challenger) > 0
               : least_seconds_ > 0 &&
                     winner_seconds() >= policy::beyond_doubt * (1 + policy::prior_spread) * least_seconds_;
}

Standing Trials::standing(std::size_t candidate, const Budget& others) const {
    const Evidence& one = candidates_[candidate];
    if (candidate == winner_) {
        return Standing::serves;
    }
    if ((in_flight_ && candidate == flight_of_) || (wanted_ > 0 && candidate == block_of_)) {
        return Standing::on_trial;
    }
    if (one.withdrawn) {
        return Standing::withdrawn;
    }
    if (candidates_[winner_].samples.empty()) {
        return Standing::waits_for_evidence;
    }
    if (one.next_look > calls_) {
        return Standing::waits_for_its_look;
    }
    const double usual = winner_seconds();
    if (possible_gain(candidate, usual) <= policy::least_lead * usual) {
        return Standing::cannot_gain;
    }
    const double worth = gain_over_price(candidate);
    if (worth < 1) {
        return Standing::not_worth_its_price;
    }
    // Whatever was spent on its challengers: what leads has never been compared with it.
    if (candidate == 0 && is_native_unknown() && worth >= policy::beyond_doubt) {
        return Standing::due;
    }
    if (pays_by_itself(candidate)) {
        return Standing::due;
    }
    const double in_flight = in_flight_ ? expected_price(flight_of_, 1) : 0;
    return affordable(in_flight + expected_price(candidate, one.look), others) ? Standing::due : Standing::over_budget;
}

/// The challenger that is tried next. One that seems faster goes on; then those of which least is known.
std::optional<std::size_t> Trials::due_challenger(const Budget& others) const {
    std::optional<std::size_t> found;
    const auto urgency = [&](std::size_t index) {
        const Evidence& one = candidates_[index];
        return std::pair(seems_faster(one) ? 0 : 1, one.samples.size());
    };
    for (std::size_t index = 0; index < candidates_.size(); ++index) {
        if (standing(index, others) != Standing::due) {
            continue;
        }
        if (!found || urgency(index) < urgency(*found)) {
            found = index;
        }
    }
    return found;
}

/// Calls over which one agreement is spread so that watching costs its share.
double Trials::calls_for_an_agreement() const {
    if (candidates_[winner_].samples.empty()) {
        return 1;
    }
    return std::ceil(agreement_seconds_ / (policy::watching_share * winner_seconds()));
}

/// Calls until the winner is watched, or a challenger is due. A winner of which little is known is watched soon.
std::int64_t Trials::rest(const Budget& others) const {
    constexpr std::int64_t most = policy::longest_rest;
    const double calls_of_watching = std::min(calls_for_an_agreement(), static_cast<double>(most));
    const auto samples = static_cast<std::int64_t>(candidates_[winner_].samples.size());
    if (is_native_in_doubt() && affordable(agreement_seconds_, others)) {
        return 0;
    }
    if (samples < opening_calls && affordable(agreement_seconds_, others)) {
        return std::min(static_cast<std::int64_t>(calls_of_watching) - 1, policy::back_off * samples);
    }
    auto calls =
        static_cast<std::int64_t>(calls_of_watching - std::min(calls_of_watching, static_cast<double>(longest_block)));
    if (no_candidate_can_gain()) {
        return std::min(std::max(calls, calls_), most);
    }
    for (std::size_t index = 0; index < candidates_.size(); ++index) {
        const Evidence& one = candidates_[index];
        if (index != winner_ && !one.withdrawn && one.next_look > calls_) {
            calls = std::min(calls, one.next_look - calls_);
        }
    }
    return calls;
}

void Trials::withdraw(std::size_t candidate) {
    candidates_[candidate].withdrawn = true;
    candidates_[candidate].samples.clear();
    if (wanted_ > 0) {
        drop();
    }
    if (winner_ == candidate) {
        winner_ = 0;
        watched_ = 0;
    }
    resting_ = 0;
    if (!in_flight_ && wanted_ == 0) {
        state_ = State::choose;
    }
}

Budget Trials::budget() const {
    Budget sum{calls_ - static_cast<std::int64_t>(filled_ + flight_calls_), past_seconds_, past_spent_};
    if (candidates_[winner_].samples.empty()) {
        sum.calls -= unmeasured_;
        return sum;
    }
    sum.seconds += static_cast<double>(unmeasured_) * winner_seconds();
    return sum;
}

Budget Trials::budget_here() const {
    Budget here = budget();
    here.calls = std::max<std::int64_t>(here.calls - inherited_.calls, 0);
    here.seconds = std::max(here.seconds - inherited_.seconds, 0.0);
    here.spent_seconds = std::max(here.spent_seconds - inherited_.spent_seconds, 0.0);
    return here;
}

std::optional<double> Trials::typical_seconds(std::size_t candidate) const {
    const Evidence& one = candidates_[candidate];
    return one.samples.empty() ? std::nullopt : std::optional(one.typical());
}

/// The prior weighs as much as one sample: a bad moment is evidence, and no verdict.
std::optional<double> Trials::expected_seconds(std::size_t candidate) const {
    const Evidence& one = candidates_[candidate];
    const double least = std::max(least_seconds_, prospects_[candidate].least_seconds);
    if (candidate == 0 || least <= 0) {
        return typical_seconds(candidate);
    }
    const double spread = prospects_[candidate].spread_seconds;
    const double prior = spread > 0 ? least + spread / 2 : least / policy::link_efficiency;
    const auto samples = static_cast<double>(one.samples.size());
    if (one.samples.empty()) {
        return prior;
    }
    return epoch_began_ > 0 ? one.typical() : (prior + samples * one.typical()) / (1 + samples);
}

std::optional<Trials> Trials::continued(double set_up_seconds) const {
    if (candidates_[winner_].samples.empty() || candidates_[0].samples.empty()) {
        return std::nullopt;
    }
    const std::int64_t communicators = inherited_from_ + (calls_ > inherited_calls_ ? 1 : 0);
    const std::int64_t usual_calls = calls_ / std::max<std::int64_t>(communicators, 1);
    const double gain = static_cast<double>(usual_calls) * (believed_seconds(0) - winner_seconds());
    if (winner_ != 0 && gain < policy::doubt * set_up_seconds) {
        return std::nullopt;
    }
    Trials next = *this;
    for (Evidence& one : next.candidates_) {
        one.reserve();
    }
    next.drop();
    next.lose();
    next.resting_ = 0;
    next.watched_ = 0;
    next.previous_ = 0;
    next.state_ = winner_ == 0 ? State::choose : State::watch;
    for (std::size_t index = 1; index < candidates_.size(); ++index) {
        next.prospects_[index].set_up_seconds = set_up_seconds;
        next.candidates_[index].was_set_up = false;
        next.candidates_[index].look = 1;
    }
    next.inherited_ = next.budget();
    next.inherited_calls_ = calls_;
    next.inherited_from_ = communicators;
    next.usual_calls_ = usual_calls;
    return next;
}

void Trials::trust(const Budget& others) {
    if (winner_ == 0 && (no_candidate_can_gain() || !due_challenger(others))) {
        constexpr std::int64_t most = policy::longest_rest / 8;
        resting_ = std::max(std::min(calls_, most), opening_calls);
        state_ = State::exploit;
    }
}

template <class Self, class Action>
void Trials::for_each_field(Self& self, Action action) {
    action(self.least_seconds_);
    action(self.size_);
    action(self.publishes_early_);
    action(self.opens_early_);
    action(self.agreement_seconds_);
    action(self.share_of_ranks_);
    action(static_cast<int>(self.state_));
    for (const Prospect& one : self.prospects_) {
        action(one.method);
        action(one.set_up_seconds);
        action(one.least_seconds);
        action(one.spread_seconds);
    }
    for (const Evidence& one : self.candidates_) {
        action(one.samples);
        action(one.is_cold);
        action(one.led_before);
        action(one.withdrawn);
        action(one.was_set_up);
        action(one.measured);
        action(one.next_look);
        action(one.look);
    }
    for (const std::size_t number :
         {self.winner_, self.previous_, self.block_of_, self.wanted_, self.look_, self.filled_, self.flight_of_,
          self.flight_calls_, self.flight_look_, self.watched_}) {
        action(number);
    }
    for (const std::int64_t count :
         {self.resting_, self.calls_, self.unmeasured_, self.epoch_began_, self.inherited_.calls, self.inherited_calls_,
          self.inherited_from_, self.usual_calls_}) {
        action(count);
    }
    for (const double seconds :
         {self.past_seconds_, self.past_spent_, self.inherited_.seconds, self.inherited_.spent_seconds}) {
        action(seconds);
    }
    action(self.block_is_cold_);
    action(self.in_flight_);
    action(self.flight_opens_);
    action(self.flight_is_cold_);
}

void Trials::add_to(Digest& digest) const {
    for_each_field(*this, [&digest](const auto& field) { digest.add(field); });
}

}  // namespace aapc::learning
