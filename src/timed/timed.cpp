#include "aapc/timed.hpp"

#include <algorithm>
#include <cmath>

namespace aapc {

namespace {

constexpr double slot_target_seconds = 0.5e-3;
constexpr std::int64_t fewest_frames = 3;
constexpr std::int64_t most_frames = 22;

// Late is what neither a wake-up nor the last segment's way through the switches explains.
constexpr double tolerated_seconds = 1.5e-3;
constexpr double tolerated_share = 0.02;
// A single late exchange may be a hiccup of one machine; so late is none.
constexpr double intolerable_share = 0.3;

constexpr int exchanges_between_steps = 4;
constexpr double step_up = 1.01;
constexpr double probe = 1.04;
constexpr int longest_patience = 1024;
constexpr double slowest_pace = 0.02;

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

void PaceController::observe(double scheduled_seconds, double late_seconds) {
    const double tolerated = tolerated_seconds + tolerated_share * scheduled_seconds;
    if (late_seconds <= tolerated) {
        late_ = 0;
        ++clean_;
        climb();
        return;
    }
    ++late_;
    if (late_ >= 2 || late_seconds > intolerable_share * scheduled_seconds + tolerated_seconds) {
        back_off(scheduled_seconds, late_seconds);
    }
}

// To what the exchange achieved, a little less: the queue that made it late has to drain too. No more than a fifth at
// once, since a lost segment's time-out says nothing about the speed of the links.
void PaceController::back_off(double scheduled_seconds, double late_seconds) {
    const double achieved = pace_ * scheduled_seconds / (scheduled_seconds + late_seconds);
    ceiling_ = std::min(ceiling_, pace_ * 0.99);
    pace_ = std::max({slowest_pace, 0.8 * pace_, std::min(0.98 * achieved, 0.97 * pace_)});
    patience_ = std::min(2 * patience_, longest_patience);
    clean_ = 0;
    late_ = 0;
}

void PaceController::climb() {
    if (pace_ < ceiling_ && clean_ >= exchanges_between_steps) {
        pace_ = std::min(ceiling_, pace_ * step_up);
        clean_ = 0;
    } else if (clean_ >= patience_) {
        ceiling_ *= probe;
        clean_ = 0;
    }
}

}  // namespace aapc
