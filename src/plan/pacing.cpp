#include "aapc/plan/pacing.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>

#include "aapc/input/statistics.hpp"

namespace aapc {

namespace {

constexpr double slot_target_seconds = 0.5e-3;
// 3 and 22 frames of the usual size.
constexpr std::int64_t fewest_bytes = 4344;
constexpr std::int64_t usual_most_bytes = 31856;
constexpr std::int32_t packet_headers = 52;  // IP, TCP and time stamps

// Late is what neither a wake-up nor the last segment's way through the switches explains.
constexpr double tolerated_seconds = 1.5e-3;
constexpr double tolerated_share = 0.03;
// A trial must be better by more than the noise, and is over at once if it is this much worse. Links that are asked for
// too much lose a good part of their speed, so a slower pace that is only a little better is noise.
constexpr double clearly_better = 1.01;
constexpr double clearly_better_slower = 1.05;
constexpr double hopeless = 0.85;

// Links that are asked for too much lose some of it again, so they can do more than they achieve; how much is tried.
// TCP's time-outs of 0.2 s and more lose most.
constexpr double share_lost[] = {1.1, 1.2};
constexpr double share_lost_by_time_outs[] = {1.2, 2.0, 1.5, 1.1};
constexpr double seconds_of_time_outs = 0.1;
constexpr double share_of_time_outs = 1;
constexpr int shorter_wait = 4;

constexpr double first_step = 0.03;
constexpr double largest_step = 0.5;
constexpr int longest_patience = 1024;
constexpr double slowest_pace = 0.001;
constexpr double fastest_pace = 1000;

}  // namespace

std::int64_t wire_bytes(std::int64_t bytes, const WireFormat& wire) {
    const std::int64_t payload = bytes + wire.message_header;
    const std::int64_t frames = (payload + wire.payload_per_frame - 1) / wire.payload_per_frame;
    return payload + frames * (wire.frame_overhead + wire.acknowledgement_per_frame);
}

WireFormat wire_format(std::int32_t mtu_bytes) {
    WireFormat wire;
    wire.payload_per_frame = std::max(mtu_bytes - packet_headers, 1);
    return wire;
}

double Cadence::initial_pace() const { return std::min(1.0, PaceController::initial_pace * cycle_over_bound); }

Cadence cadence_of_phases(double bits_per_second, const WireFormat& wire) {
    Cadence cadence;
    if (bits_per_second > 0) {
        cadence.tick_seconds_per_byte = 8 / bits_per_second;
        cadence.slowest_bits_per_second = bits_per_second;
    }
    cadence.wire = wire;
    return cadence;
}

Cadence cadence_of_cycle(const Cycle& cycle, Phase ticks, double slowest_bits_per_second, std::int64_t most_wire_bytes,
                         const WireFormat& wire) {
    Cadence cadence;
    cadence.tick_seconds_per_byte = cycle.seconds_per_byte / static_cast<double>(std::max<Phase>(ticks, 1));
    cadence.slowest_bits_per_second = slowest_bits_per_second;
    cadence.most_wire_bytes = most_wire_bytes;
    cadence.cycle_over_bound = cycle.over_bound();
    cadence.cyclic = true;
    cadence.wire = wire;
    return cadence;
}

Cadence with_learned_paths(Cadence cadence) {
    if (cadence.cyclic && cadence.cycle_over_bound > learned_over_bound) {
        cadence.tick_seconds_per_byte *= learned_over_bound / cadence.cycle_over_bound;
        cadence.cycle_over_bound = learned_over_bound;
    }
    return cadence;
}

double Segmentation::start_seconds(std::int64_t segment, Phase tick, Phase ticks) const {
    const double own_tick = segment + 1 == segments ? last_tick_seconds : tick_seconds;
    return static_cast<double>(segment) * static_cast<double>(ticks) * tick_seconds +
           static_cast<double>(tick) * own_tick;
}

namespace {

/// The frames of a segment whose size is not forced.
std::int64_t frames_by_time(const Cadence& cadence) {
    const WireFormat& wire = cadence.wire;
    const std::int64_t frame_bytes = wire.payload_per_frame + wire.frame_overhead + wire.acknowledgement_per_frame;
    const auto frames_in = [&](double seconds) {
        return std::min(seconds * cadence.slowest_bits_per_second / (8.0 * static_cast<double>(frame_bytes)), 1e9);
    };
    const std::int64_t fewest = (fewest_bytes + wire.payload_per_frame - 1) / wire.payload_per_frame;
    const std::int64_t most = std::max(fewest, usual_most_bytes / wire.payload_per_frame);
    std::int64_t frames = std::clamp<std::int64_t>(std::llround(frames_in(slot_target_seconds)), fewest, most);
    // A hair less, so that a whole number of frames is not rounded up.
    frames = std::max(frames, static_cast<std::int64_t>(std::ceil(frames_in(cadence.shortest_slot_seconds) - 1e-6)));
    if (cadence.most_wire_bytes > 0) {
        frames = std::clamp<std::int64_t>(cadence.most_wire_bytes / frame_bytes, 1, frames);
    }
    return frames;
}

/// Bytes of data in `frames` full frames.
std::int64_t bytes_in_frames(std::int64_t frames, const WireFormat& wire) {
    return std::max<std::int64_t>(frames * wire.payload_per_frame - wire.message_header, 1);
}

/// A message of few segments in as many that are of about one size, so that the last slot is no short one.
std::int64_t even_segment(std::int64_t message_bytes, std::int64_t segment_bytes, const WireFormat& wire) {
    const std::int64_t segments = (message_bytes + segment_bytes - 1) / segment_bytes;
    const std::int64_t share = (message_bytes + segments - 1) / segments + wire.message_header;
    const std::int64_t frames = (share + wire.payload_per_frame - 1) / wire.payload_per_frame;
    return std::min(bytes_in_frames(frames, wire), segment_bytes);
}

}  // namespace

Segmentation segment_message(std::int64_t message_bytes, const Cadence& cadence, std::int64_t segment_bytes) {
    if (segment_bytes <= 0) {
        const std::int64_t largest = bytes_in_frames(frames_by_time(cadence), cadence.wire);
        segment_bytes = even_segment(message_bytes, largest, cadence.wire);
    }
    Segmentation cut;
    cut.segment_bytes = std::min(segment_bytes, message_bytes);
    cut.segments = (message_bytes + cut.segment_bytes - 1) / cut.segment_bytes;
    cut.last_segment_bytes = message_bytes - (cut.segments - 1) * cut.segment_bytes;
    const auto on_the_wire = [&](std::int64_t bytes) { return static_cast<double>(wire_bytes(bytes, cadence.wire)); };
    cut.tick_seconds = on_the_wire(cut.segment_bytes) * cadence.tick_seconds_per_byte;
    cut.last_tick_seconds = on_the_wire(cut.last_segment_bytes) * cadence.tick_seconds_per_byte;
    if (cadence.cyclic) {
        cut.drain_seconds = 8 * on_the_wire(cut.last_segment_bytes) / cadence.slowest_bits_per_second;
    }
    return cut;
}

Segmentation segment_message(std::int64_t message_bytes, double bits_per_second, std::int64_t segment_bytes,
                             const WireFormat& wire) {
    return segment_message(message_bytes, cadence_of_phases(bits_per_second, wire), segment_bytes);
}

void PaceController::Samples::add(double achieved_pace, double late_share) {
    if (enough()) {
        std::shift_left(achieved.begin(), achieved.end(), 1);
        std::shift_left(late.begin(), late.end(), 1);
        --count;
    }
    achieved[count] = achieved_pace;
    late[count] = late_share;
    ++count;
}

double PaceController::Samples::median_of(Values values) const {
    return median_in_place(std::span(values).first(count));
}

bool PaceController::steady() const {
    return trial_ <= 0 && settled_samples_.enough() &&
           settled_samples_.median_of(settled_samples_.late) <= tolerated_share;
}

bool PaceController::times_out() const {
    const double late = settled_samples_.median_of(settled_samples_.late);
    return late > share_of_time_outs && late * settled_seconds_ > seconds_of_time_outs;
}

void PaceController::observe(double scheduled_seconds, double late_seconds) {
    const double achieved = pace() * scheduled_seconds / (scheduled_seconds + late_seconds);
    const double late_share = std::max(0.0, late_seconds - tolerated_seconds) / scheduled_seconds;
    if (trial_ > 0) {
        trial_samples_.add(achieved, late_share);
        judge_trial();
    } else {
        settled_samples_.add(achieved, late_share);
        settled_seconds_ = scheduled_seconds;
        consider_trial();
    }
}

void PaceController::judge_trial() {
    const double before = settled_samples_.median_of(settled_samples_.achieved);
    if (trial_samples_.achieved[trial_samples_.count - 1] < hopeless * before) {
        end_trial(false);
    } else if (trial_samples_.enough()) {
        const double needed = trial_ < settled_ ? clearly_better_slower : clearly_better;
        end_trial(trial_samples_.median_of(trial_samples_.achieved) > needed * before);
    }
}

void PaceController::Waiting::after_failure() {
    patience = std::min(2 * patience, longest_patience);
    left = patience;
}

void PaceController::end_trial(bool accepted) {
    const bool up = trial_ > settled_;
    if (accepted) {
        settled_seconds_ *= settled_ / trial_;
        settled_ = trial_;
        settled_samples_ = trial_samples_;
        step_ = up ? std::min(2 * step_, largest_step) : first_step;
        upwards_ = {0};
        downwards_ = {0};
    } else {
        step_ = first_step;
        ++failures_;
        // That the beginning is too fast says nothing of a small step, and where exchanges take twice as long as they
        // should no other pace is dearer than this one.
        const bool tells_little = up ? trial_ >= initial_ && settled_ * (1 + first_step) < initial_
                                     : times_out() && failures_ % std::size(share_lost_by_time_outs) != 0;
        if (!tells_little) {
            Waiting& waiting = up ? upwards_ : downwards_;
            waiting.after_failure();
            // What was lost may keep connections slow for some exchanges, at whatever pace.
            waiting.left /= !up && times_out() ? shorter_wait : 1;
        }
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
    const bool late = settled_samples_.median_of(settled_samples_.late) > tolerated_share;
    Waiting& waiting = late ? downwards_ : upwards_;
    if (waiting.left > 0) {
        --waiting.left;
        return;
    }
    if (late) {
        const double more = times_out() ? share_lost_by_time_outs[failures_ % std::size(share_lost_by_time_outs)]
                                        : share_lost[failures_ % std::size(share_lost)];
        trial_ = std::min(0.97 * settled_, more * settled_samples_.median_of(settled_samples_.achieved));
    } else {
        // What made it slow may be gone altogether: the first exchanges of a program are late for reasons of their own,
        // and where the schedule is short, the pace that this led to hides that it is no longer needed.
        const bool back_to_the_beginning = settled_ < initial_ && failures_ % 2 == 0;
        trial_ = back_to_the_beginning ? initial_ : settled_ * (1 + step_);
    }
    trial_ = std::clamp(trial_, slowest_pace, fastest_pace);
}

}  // namespace aapc
