#include "aapc/plan/pacing.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace aapc {

namespace {

constexpr double slot_target_seconds = 0.5e-3;
constexpr std::int64_t fewest_frames = 3;
constexpr std::int64_t most_frames = 22;

constexpr std::size_t samples_kept = 3;
// Late is what neither a wake-up nor the last segment's way through the switches explains.
constexpr double tolerated_seconds = 1.5e-3;
constexpr double tolerated_share = 0.03;
// A trial must be better by more than the noise, and is over at once if it is this much worse. Links that are asked for
// too much lose a good part of their speed, so a slower pace that is only a little better is noise.
constexpr double clearly_better = 1.01;
constexpr double clearly_better_slower = 1.05;
constexpr double hopeless = 0.85;

constexpr double first_step = 0.03;
constexpr double largest_step = 0.5;
constexpr int longest_patience = 1024;
constexpr double slowest_pace = 0.001;
constexpr double fastest_pace = 1000;

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

}  // namespace

std::int64_t wire_bytes(std::int64_t bytes, const WireFormat& wire) {
    const std::int64_t payload = bytes + wire.message_header;
    const std::int64_t frames = (payload + wire.payload_per_frame - 1) / wire.payload_per_frame;
    return payload + frames * (wire.frame_overhead + wire.acknowledgement_per_frame);
}

double Segmentation::start_seconds(std::int64_t segment, Phase phase, Phase phases) const {
    const double own_slot = segment + 1 == segments ? last_slot_seconds : slot_seconds;
    return static_cast<double>(segment) * static_cast<double>(phases) * slot_seconds +
           static_cast<double>(phase) * own_slot;
}

Segmentation segment_message(std::int64_t message_bytes, double bits_per_second, std::int64_t segment_bytes,
                             const WireFormat& wire) {
    if (segment_bytes <= 0) {
        const double frame_bits =
            8.0 * static_cast<double>(wire.payload_per_frame + wire.frame_overhead + wire.acknowledgement_per_frame);
        const double wanted = std::min(slot_target_seconds * bits_per_second / frame_bits, 1e6);
        const std::int64_t frames = std::clamp<std::int64_t>(std::llround(wanted), fewest_frames, most_frames);
        segment_bytes = frames * wire.payload_per_frame - wire.message_header;
    }
    Segmentation cut;
    cut.segment_bytes = std::min(segment_bytes, message_bytes);
    cut.segments = (message_bytes + cut.segment_bytes - 1) / cut.segment_bytes;
    cut.last_segment_bytes = message_bytes - (cut.segments - 1) * cut.segment_bytes;
    const auto slot = [&](std::int64_t bytes) {
        return 8.0 * static_cast<double>(wire_bytes(bytes, wire)) / bits_per_second;
    };
    cut.slot_seconds = slot(cut.segment_bytes);
    cut.last_slot_seconds = slot(cut.last_segment_bytes);
    return cut;
}

void PaceController::Samples::add(double achieved_pace, double late_share) {
    if (enough()) {
        achieved.erase(achieved.begin());
        late.erase(late.begin());
    }
    achieved.push_back(achieved_pace);
    late.push_back(late_share);
}

bool PaceController::Samples::enough() const { return achieved.size() >= samples_kept; }

void PaceController::observe(double scheduled_seconds, double late_seconds) {
    const double achieved = pace() * scheduled_seconds / (scheduled_seconds + late_seconds);
    const double late_share = std::max(0.0, late_seconds - tolerated_seconds) / scheduled_seconds;
    if (trial_ > 0) {
        trial_samples_.add(achieved, late_share);
        judge_trial();
    } else {
        settled_samples_.add(achieved, late_share);
        consider_trial();
    }
}

void PaceController::judge_trial() {
    const double before = median(settled_samples_.achieved);
    if (trial_samples_.achieved.back() < hopeless * before) {
        end_trial(false);
    } else if (trial_samples_.enough()) {
        const double needed = trial_ < settled_ ? clearly_better_slower : clearly_better;
        end_trial(median(trial_samples_.achieved) > needed * before);
    }
}

void PaceController::Waiting::after_failure() {
    patience = std::min(2 * patience, longest_patience);
    left = patience;
}

void PaceController::end_trial(bool accepted) {
    const bool up = trial_ > settled_;
    if (accepted) {
        settled_ = trial_;
        settled_samples_ = std::move(trial_samples_);
        step_ = up ? std::min(2 * step_, largest_step) : first_step;
        upwards_ = {0};
        downwards_ = {0};
    } else {
        step_ = first_step;
        ++failures_;
        (up ? upwards_ : downwards_).after_failure();
    }
    trial_ = 0;
    trial_samples_ = {};
    if (accepted) {
        consider_trial();
    }
}

void PaceController::consider_trial() {
    if (!settled_samples_.enough()) {
        return;
    }
    const bool late = median(settled_samples_.late) > tolerated_share;
    Waiting& waiting = late ? downwards_ : upwards_;
    if (waiting.left > 0) {
        --waiting.left;
        return;
    }
    if (late) {
        // Links that are asked for too much lose some of it again, so they can do more than they achieved; how much
        // more is tried.
        constexpr double share_lost[] = {1.1, 1.2};
        trial_ = std::min(0.97 * settled_,
                          share_lost[failures_ % std::size(share_lost)] * median(settled_samples_.achieved));
    } else {
        // What made it slow may be gone altogether: the first exchanges of a program are late for reasons of their own,
        // and where the schedule is short, the pace that this led to hides that it is no longer needed.
        const bool back_to_the_beginning = settled_ < initial_pace && failures_ % 2 == 0;
        trial_ = back_to_the_beginning ? initial_pace : settled_ * (1 + step_);
    }
    trial_ = std::clamp(trial_, slowest_pace, fastest_pace);
}

}  // namespace aapc
