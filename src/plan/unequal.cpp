#include "aapc/plan/unequal.hpp"

#include <algorithm>
#include <tuple>

#include "plan/spread.hpp"

namespace aapc {

namespace {

constexpr std::int64_t very_long_message = std::int64_t{1} << 40U;

/// No segment has more bytes. The same on all ranks.
std::int64_t longest_segment(const Cadence& cadence, std::int64_t segment_bytes) {
    return segment_message(very_long_message, cadence, segment_bytes).segment_bytes;
}

/// A message in as few segments as can be, of one length up to a byte: with a short one at the end, the others would
/// come faster than the pair's rate, and many pairs together ask a link for more than it carries until then.
class EvenCut {
  public:
    EvenCut(std::int64_t message_bytes, std::int64_t longest)
        : segments_((message_bytes + longest - 1) / longest),
          shorter_(segments_ > 0 ? message_bytes / segments_ : 0),
          longer_count_(message_bytes - segments_ * shorter_) {}

    [[nodiscard]] std::int64_t segments() const { return segments_; }
    [[nodiscard]] std::int64_t bytes(std::int64_t segment) const {
        return segment < longer_count_ ? shorter_ + 1 : shorter_;
    }
    [[nodiscard]] std::int64_t offset(std::int64_t segment) const {
        return segment * shorter_ + std::min(segment, longer_count_);
    }
    /// The sum of `of_bytes` over all segments.
    template <class OfBytes>
    [[nodiscard]] std::int64_t sum(OfBytes of_bytes) const {
        return longer_count_ * of_bytes(shorter_ + 1) + (segments_ - longer_count_) * of_bytes(shorter_);
    }

  private:
    std::int64_t segments_;
    std::int64_t shorter_;
    std::int64_t longer_count_;  // segments with a byte more, the first ones
};

/// What a message puts on the wire, and what its receiver answers.
struct OnTheWire {
    std::int64_t sent = 0;
    std::int64_t acknowledged = 0;
};

OnTheWire on_the_wire(std::int64_t message_bytes, std::int64_t longest, const WireFormat& wire) {
    const EvenCut cut(message_bytes, longest);
    const std::int64_t sent = cut.sum([&](std::int64_t bytes) { return bytes_sent(bytes, wire); });
    return {sent, cut.sum([&](std::int64_t bytes) { return wire_bytes(bytes, wire); }) - sent};
}

/// Appends the segments of one message, whose timetable has `ticks`.
void append_segments(Rank peer, const EvenCut& cut, double cycle_seconds, Phase tick, Phase ticks,
                     std::vector<TimedSegment>& segments) {
    const double fraction = static_cast<double>(tick) / static_cast<double>(std::max<Phase>(ticks, 1));
    const double apart = cycle_seconds / static_cast<double>(cut.segments());
    for (std::int64_t segment = 0; segment < cut.segments(); ++segment) {
        segments.push_back(
            {(static_cast<double>(segment) + fraction) * apart, peer, cut.offset(segment), cut.bytes(segment)});
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

std::int64_t bytes_sent(std::int64_t bytes, const WireFormat& wire) {
    WireFormat unanswered = wire;
    unanswered.acknowledgement_per_frame = 0;
    return wire_bytes(bytes, unanswered);
}

WireCounts wire_counts(const Cadence& cadence, std::int64_t segment_bytes, std::span<const std::int64_t> sent,
                       std::span<const std::int64_t> received) {
    const std::int64_t longest = longest_segment(cadence, segment_bytes);
    WireCounts counts;
    counts.to.reserve(sent.size());
    counts.from.reserve(sent.size());
    for (std::size_t other = 0; other < sent.size(); ++other) {
        const OnTheWire away = on_the_wire(sent[other], longest, cadence.wire);
        const OnTheWire here = on_the_wire(received[other], longest, cadence.wire);
        counts.to.push_back(away.sent + here.acknowledged);
        counts.from.push_back(here.sent + away.acknowledged);
    }
    return counts;
}

UnequalPlan make_unequal_plan(const Plan& plan, const Cadence& cadence, std::int64_t segment_bytes,
                              double bound_seconds, std::span<const std::int64_t> sent,
                              std::span<const std::int64_t> received, const RouteTree* routes) {
    UnequalPlan unequal;
    unequal.cycle_seconds = plan.cycle ? plan.cycle->over_bound() * bound_seconds : bound_seconds;
    const std::int64_t longest = longest_segment(cadence, segment_bytes);
    const auto append = [&](Rank peer, std::int64_t bytes, Phase tick, std::vector<TimedSegment>& segments) {
        append_segments(peer, EvenCut(bytes, longest), unequal.cycle_seconds, tick, plan.phases, segments);
    };
    for (const Transfer& send : plan.sends) {
        append(send.to, sent[static_cast<std::size_t>(send.to)], send.phase, unequal.sends);
    }
    for (const Transfer& receive : plan.receives) {
        append(receive.from, received[static_cast<std::size_t>(receive.from)], receive.phase, unequal.receives);
    }
    if (routes != nullptr && unequal.cycle_seconds > 0) {
        spread_evenly(*routes, unequal.cycle_seconds, unequal.sends);
    }
    sort_by_start(unequal.sends);
    sort_by_start(unequal.receives);
    if (unequal.cycle_seconds > 0 && cadence.slowest_bits_per_second > 0) {
        // Not of the rank's own segments: every rank has to find the same.
        const auto bits = static_cast<double>(8 * wire_bytes(longest, cadence.wire));
        unequal.drain_seconds = std::min(bits / cadence.slowest_bits_per_second, unequal.cycle_seconds);
    }
    return unequal;
}

}  // namespace aapc
