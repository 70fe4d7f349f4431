#include "aapc/plan/unequal.hpp"

#include <algorithm>
#include <tuple>

namespace aapc {

namespace {

constexpr std::int64_t very_long_message = std::int64_t{1} << 40U;

/// What a message puts on the wire, and what its receiver answers.
struct OnTheWire {
    std::int64_t sent = 0;
    std::int64_t acknowledged = 0;
};

OnTheWire on_the_wire(std::int64_t bytes, const Cadence& cadence, std::int64_t segment_bytes) {
    if (bytes <= 0) {
        return {};
    }
    const Segmentation cut = segment_message(bytes, cadence, segment_bytes);
    WireFormat unanswered = cadence.wire;
    unanswered.acknowledgement_per_frame = 0;
    const auto all = [&](const WireFormat& wire) {
        return (cut.segments - 1) * wire_bytes(cut.segment_bytes, wire) + wire_bytes(cut.last_segment_bytes, wire);
    };
    const std::int64_t sent = all(unanswered);
    return {sent, all(cadence.wire) - sent};
}

/// Appends the segments of one message whose cycle has `ticks`.
void append_segments(Rank peer, const Segmentation& cut, double cycle_seconds, Phase tick, Phase ticks,
                     std::vector<TimedSegment>& segments) {
    const double fraction = static_cast<double>(tick) / static_cast<double>(std::max<Phase>(ticks, 1));
    const double apart = cycle_seconds / static_cast<double>(cut.segments);
    for (std::int64_t segment = 0; segment < cut.segments; ++segment) {
        const bool is_last = segment + 1 == cut.segments;
        segments.push_back({(static_cast<double>(segment) + fraction) * apart, peer, segment * cut.segment_bytes,
                            is_last ? cut.last_segment_bytes : cut.segment_bytes});
    }
}

void sort_by_start(std::vector<TimedSegment>& segments) {
    const auto key = [](const TimedSegment& segment) {
        return std::tuple(segment.start_seconds, segment.peer, segment.offset);
    };
    std::sort(segments.begin(), segments.end(),
              [&](const TimedSegment& left, const TimedSegment& right) { return key(left) < key(right); });
}

}  // namespace

WireCounts wire_counts(const Cadence& cadence, std::int64_t segment_bytes, std::span<const std::int64_t> sent,
                       std::span<const std::int64_t> received) {
    WireCounts counts;
    counts.to.reserve(sent.size());
    counts.from.reserve(sent.size());
    for (std::size_t other = 0; other < sent.size(); ++other) {
        const OnTheWire away = on_the_wire(sent[other], cadence, segment_bytes);
        const OnTheWire here = on_the_wire(received[other], cadence, segment_bytes);
        counts.to.push_back(away.sent + here.acknowledged);
        counts.from.push_back(here.sent + away.acknowledged);
    }
    return counts;
}

UnequalPlan make_unequal_plan(const Plan& plan, const Cadence& cadence, std::int64_t segment_bytes,
                              double bound_seconds, std::span<const std::int64_t> sent,
                              std::span<const std::int64_t> received) {
    const bool knows_both = plan.cycle && plan.cycle->bound_seconds_per_byte > 0;
    const double longer = knows_both ? plan.cycle->seconds_per_byte / plan.cycle->bound_seconds_per_byte : 1;
    UnequalPlan unequal;
    unequal.cycle_seconds = longer * bound_seconds;
    const auto append = [&](Rank peer, std::int64_t bytes, Phase tick, std::vector<TimedSegment>& segments) {
        if (bytes > 0) {
            const Segmentation cut = segment_message(bytes, cadence, segment_bytes);
            append_segments(peer, cut, unequal.cycle_seconds, tick, plan.phases, segments);
        }
    };
    for (const Transfer& send : plan.sends) {
        append(send.to, sent[static_cast<std::size_t>(send.to)], send.phase, unequal.sends);
    }
    for (const Transfer& receive : plan.receives) {
        append(receive.from, received[static_cast<std::size_t>(receive.from)], receive.phase, unequal.receives);
    }
    sort_by_start(unequal.sends);
    sort_by_start(unequal.receives);
    if (unequal.cycle_seconds > 0 && cadence.slowest_bits_per_second > 0) {
        // Not of the rank's own segments: every rank has to find the same.
        const std::int64_t largest = segment_message(very_long_message, cadence, segment_bytes).segment_bytes;
        const auto bits = static_cast<double>(8 * wire_bytes(largest, cadence.wire));
        unequal.drain_seconds = std::min(bits / cadence.slowest_bits_per_second, unequal.cycle_seconds);
    }
    return unequal;
}

}  // namespace aapc
