#include "plan/paths.hpp"

#include <algorithm>
#include <cmath>

namespace aapc {

namespace {

// docs/paths.md says what half and twice of each constant do in the model of tests/plan/paths_test.cpp.

// Lateness below that is noise: wake-ups of the receiver, and queues that any order has.
constexpr double path_noise_seconds = 1.5e-3;
constexpr double path_noise_share = 0.03;
/// A pair that is this many times as late as is tolerated moves a connection, or learns again.
constexpr double clearly_late = 2;
// A change of the share by `gain` for a difference of the whole schedule. Half of the pairs of a link can change their
// share, and two links react to it, so 0.5 would reach the goal in one step; feedback is an exchange old.
constexpr double gain = 0.4;
/// Without some segments on it, nothing is known of a connection.
constexpr double least_share = 1.0 / 32;

/// For so many exchanges on end something has to be so before it is believed: shares are quiet, a pair is late, a move
/// helps.
constexpr int exchanges_to_believe = 4;
/// Shares come first: no move is considered before, nor soon after another one.
constexpr int exchanges_before_move = 12;
constexpr int exchanges_of_learning = 2 * exchanges_before_move;
constexpr int most_patience = 256;

}  // namespace

PairPaths::PairPaths(std::uint64_t seed)
    : state_(seed),
      credit_(0),
      left_to_learn_(exchanges_of_learning),
      patience_(exchanges_to_believe),
      move_after_(exchanges_before_move),
      move_patience_(exchanges_before_move) {
    credit_ = static_cast<double>(draw() % 1024) / 1024;
}

/// SplitMix64.
std::uint64_t PairPaths::draw() {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9U;
    mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111ebU;
    return mixed ^ (mixed >> 31U);
}

void PairPaths::resume(double share) {
    if (share >= 0 && share <= 1) {
        share_ = std::clamp(share, least_share, 1 - least_share);
    }
}

std::size_t PairPaths::next() {
    credit_ += share_;
    if (credit_ >= 1) {
        credit_ -= 1;
        return 0;
    }
    return 1;
}

double PairPaths::pair_late() const { return share_ * late_[0] + (1 - share_) * late_[1]; }

void PairPaths::observe(const std::array<double, connections>& late_seconds, double scheduled_seconds) {
    if (!(scheduled_seconds > 0)) {
        return;
    }
    for (std::size_t index = 0; index < connections; ++index) {
        const double late = late_seconds[index];
        has_heard_ = has_heard_ || !std::isnan(late);
        late_[index] = std::isnan(late) ? late_[index] / 2 : std::clamp(late / scheduled_seconds, 0.0, 1.0);
    }
    late_recently_ = (late_recently_ + pair_late()) / 2;
    const double tolerated = std::max(path_noise_share, path_noise_seconds / scheduled_seconds);
    follow_lateness(tolerated);
    if (trial_) {
        judge_move(tolerated);
    } else {
        consider_move(tolerated);
    }
    wake_or_settle(tolerated);
}

void PairPaths::follow_lateness(double tolerated) {
    const double difference = late_[0] - late_[1];
    const double before = share_;
    if (std::abs(difference) > tolerated / 2) {
        share_ = std::clamp(share_ - gain * difference, least_share, 1 - least_share);
    }
    quiet_ = std::abs(share_ - before) < gain * tolerated ? quiet_ + 1 : 0;
}

/// Shares have done what they can if they are quiet and the pair is late nevertheless.
void PairPaths::consider_move(double tolerated) {
    if (wanted_) {
        return;
    }
    if (late_recently_ <= clearly_late * tolerated || --move_after_ > 0 || quiet_ < exchanges_to_believe) {
        move_after_ = std::max(move_after_, 1);
        return;
    }
    wanted_ = Move{share_ < 0.5 ? std::size_t{0} : std::size_t{1}, 0};
}

void PairPaths::judge_move(double tolerated) {
    ++trial_->seen;
    trial_->late_sum += pair_late();
    if (trial_->seen < exchanges_to_believe) {
        return;
    }
    const double late = trial_->late_sum / trial_->seen;
    const bool helped = late <= tolerated || late < trial_->late_before - tolerated / 2;
    move_patience_ = helped ? exchanges_before_move : std::min(2 * move_patience_, most_patience);
    move_after_ = move_patience_;
    if (!helped && trial_->back.port != 0) {
        wanted_ = trial_->back;
    }
    trial_.reset();
}

void PairPaths::moved(std::uint16_t former) {
    const bool was_back = wanted_ && wanted_->port != 0;
    if (wanted_ && !was_back) {
        trial_ = Trial{.back = {wanted_->connection, former}, .late_before = late_recently_};
    }
    if (wanted_) {
        late_[wanted_->connection] = late_[1 - wanted_->connection];
    }
    quiet_ = 0;
    wanted_.reset();
}

void PairPaths::not_moved() {
    wanted_.reset();
    move_patience_ = std::min(2 * move_patience_, most_patience);
    move_after_ = move_patience_;
}

void PairPaths::wake_or_settle(double tolerated) {
    const bool late = late_recently_ > clearly_late * tolerated;
    late_on_end_ = late ? late_on_end_ + 1 : 0;
    if (left_to_learn_ > 0) {
        --left_to_learn_;
        if (quiet_ >= exchanges_to_believe && late_recently_ <= tolerated && !trial_ && !wanted_) {
            left_to_learn_ = 0;
            patience_ = exchanges_to_believe;
            move_patience_ = exchanges_before_move;
            move_after_ = exchanges_before_move;
        }
        late_on_end_ = 0;
    } else if (late_on_end_ >= patience_) {
        left_to_learn_ = exchanges_of_learning;
        patience_ = std::min(2 * patience_, most_patience);
        late_on_end_ = 0;
    }
}

void PathLateness::note(std::size_t connection, std::uint32_t transit_microseconds) {
    if (!has_reference_) {
        has_reference_ = true;
        reference_ = transit_microseconds;
        least_ = 0;
    }
    const auto transit = static_cast<std::int32_t>(transit_microseconds - reference_);
    Connection& one = connections_[connection];
    one.most = one.count == 0 ? transit : std::max(one.most, transit);
    one.sum += transit;
    ++one.count;
    least_ = std::min(least_, transit);
}

std::array<double, PairPaths::connections> PathLateness::take() {
    constexpr double seconds_per_microsecond = 1e-6;
    std::array<double, PairPaths::connections> late{};
    for (std::size_t index = 0; index < connections_.size(); ++index) {
        Connection& one = connections_[index];
        if (one.count == 0) {
            late[index] = PairPaths::unknown;
            continue;
        }
        const double mean = static_cast<double>(one.sum) / static_cast<double>(one.count) - least_;
        late[index] = seconds_per_microsecond * std::min(2 * mean, static_cast<double>(one.most - least_));
        one = {};
    }
    // A little longer next time, since clocks drift and paths change.
    constexpr std::int32_t microseconds_more = 50;
    reference_ += static_cast<std::uint32_t>(least_ + microseconds_more);
    least_ = 0;
    return late;
}

}  // namespace aapc
