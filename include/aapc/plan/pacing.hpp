/// @file
/// The arithmetic of time-triggered execution (`timed`): how a message is cut into segments, how long a slot is, and
/// how the pace follows the network's real capacity. Pure functions and one small state machine; the clock itself is in
/// the executor.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "aapc/timetable/timetable.hpp"
#include "aapc/topology/network.hpp"

namespace aapc {

/// The bytes on an Ethernet wire for each byte of payload under TCP. The defaults are those of an MTU of 1500 with time
/// stamps, counted as a shaper and a switch's queue count them (without preamble and gap).
struct WireFormat {
    std::int64_t payload_per_frame = 1448;  ///< MTU 1500 less 40 bytes of IP and TCP header and 12 of time stamps
    std::int64_t frame_overhead = 66;       ///< 14 Ethernet + 20 IP + 20 TCP + 12 time stamps
    std::int64_t message_header = 40;       ///< of the MPI before a message; an upper estimate
    /// One acknowledgement of 66 bytes for every two frames, in the opposite direction of the link, where another
    /// rank's segment is in transit.
    std::int64_t acknowledgement_per_frame = 33;
};

/// Bytes that a message of `bytes` puts on a link, the acknowledgements of an equal message in the other direction
/// included.
[[nodiscard]] std::int64_t wire_bytes(std::int64_t bytes, const WireFormat& wire = {});

/// The same for frames of packets of `mtu_bytes`.
[[nodiscard]] WireFormat wire_format(std::int32_t mtu_bytes);

/// The shortest slot if it was not measured how late ranks wake up.
inline constexpr double usual_shortest_slot_seconds = 100e-6;

/// The time base of one timetable on one network. A timetable with phases counts as one with a cycle whose ticks are
/// slots, each as long as a message on the slowest link.
struct Cadence {
    /// How long a tick is at full pace for messages of one byte on the wire; 0 if speeds are not known, and then
    /// `timed` is impossible.
    double tick_seconds_per_byte = 0;
    /// A message's speed on the slowest link that messages cross. A slot is a segment at that speed.
    double slowest_bits_per_second = 0;
    /// The most bytes that a segment may have on the wire so that the longest queue fits the ports' buffers. 0 if
    /// unlimited, since there are no queues.
    std::int64_t most_wire_bytes = 0;
    double shortest_slot_seconds = usual_shortest_slot_seconds;  ///< that ranks can keep
    double cycle_over_bound = 1;  ///< how many times as long as the bound a cycle is; 1 for phases
    bool cyclic = false;          ///< there is a cycle: its last message may still be in transit when it ends
    WireFormat wire;

    /// Whether the speeds are known.
    [[nodiscard]] bool known() const { return tick_seconds_per_byte > 0 && slowest_bits_per_second > 0; }
    /// The first pace of PaceController: full pace, or less if that would use more than 0.99 of the busiest link's
    /// capacity.
    [[nodiscard]] double initial_pace() const;
};

/// That of equal phases on links of which the slowest has `bits_per_second`.
[[nodiscard]] Cadence cadence_of_phases(double bits_per_second, const WireFormat& wire = {});

/// That of a timetable with a cycle of `ticks`; `most_wire_bytes` as in Cadence.
[[nodiscard]] Cadence cadence_of_cycle(const Cycle& cycle, Phase ticks, double slowest_bits_per_second,
                                       std::int64_t most_wire_bytes, const WireFormat& wire = {});

/// How many times as long as the even bound a cycle is where ranks learn which of their paths are free.
inline constexpr double learned_over_bound = 1.015;

/// That of the same timetable where ranks learn which of their paths are free, so that cables are filled evenly: the
/// cycle is learned_over_bound times the bound, not what a hash needs on average. Shorter cycles stay as they are.
[[nodiscard]] Cadence with_learned_paths(Cadence cadence);

/// A message cut into segments, all of one size except the last. Segment k of a message of tick t starts k·N + t ticks
/// after the common start, where a cycle has N; the ticks of the last round are shorter if the last segment is. So
/// every pair of ranks sends at its constant rate, and in phases each segment has its links for itself.
struct Segmentation {
    std::int64_t segment_bytes = 0;
    std::int64_t segments = 0;
    std::int64_t last_segment_bytes = 0;
    double tick_seconds = 0;       ///< at full pace: the busiest links are busy all the time
    double last_tick_seconds = 0;  ///< of the last round
    double drain_seconds = 0;      ///< of a cycle: the time that the messages at its end still need

    /// When segment `segment` of the messages of `tick` starts at full pace, in seconds after the common start.
    [[nodiscard]] double start_seconds(std::int64_t segment, Phase tick, Phase ticks) const;
    /// When the last slot of all ends.
    [[nodiscard]] double end_seconds(Phase ticks) const {
        return start_seconds(segments - 1, ticks, ticks) + drain_seconds;
    }
};

/// Cuts a message of `message_bytes` (> 0) by a known cadence. `segment_bytes` (> 0) forces the size. With 0 it goes by
/// time: whole frames for about half a millisecond on the slowest link, so that wake-ups are rare, within 4 and 32 KB,
/// since less costs too many headers and more needs large buffers; but never for a shorter slot than ranks can keep,
/// however many bytes that is, unless the longest queue would then not fit the buffers. The segments of a message are
/// as even as whole frames allow.
[[nodiscard]] Segmentation segment_message(std::int64_t message_bytes, const Cadence& cadence,
                                           std::int64_t segment_bytes = 0);

/// The same for equal phases.
[[nodiscard]] Segmentation segment_message(std::int64_t message_bytes, double bits_per_second,
                                           std::int64_t segment_bytes = 0, const WireFormat& wire = {});

/// The pace of `timed` for messages of about one size on one communicator: slots take (slot at full pace) / pace. It
/// starts close to the declared speed of the links. Lateness alone does not slow it down, since a busy machine is late
/// at any pace: it tries another pace for a few exchanges and keeps it only if they end sooner. So a wrong speed in the
/// topology file, other traffic or a straggler cost time but not correctness. A pure function of its input: ranks with
/// the same input agree without communication.
class PaceController {
  public:
    /// The pace to start with. Full pace is 1; just below it queues stay short, just above it they never drain.
    static constexpr double initial_pace = 0.99;

    /// `initial`: another pace to start with (> 0), for cycles that are longer than they need be.
    explicit PaceController(double initial = initial_pace) : initial_(initial), settled_(initial) {}

    /// The pace for the next exchange.
    [[nodiscard]] double pace() const { return trial_ > 0 ? trial_ : settled_; }

    /// Whether pace() is no trial, and exchanges at it were not late.
    [[nodiscard]] bool steady() const;

    /// The result of an exchange at pace(): `scheduled_seconds` (> 0) from the common start to the end of the last
    /// slot, and `late_seconds`, by how much the last segment of the last rank came after it (0 if it did not).
    void observe(double scheduled_seconds, double late_seconds);

  private:
    /// The last few exchanges at one pace. Takes no memory: ranks that lack it must not know less than the others.
    struct Samples {
        static constexpr std::size_t kept = 3;
        using Values = std::array<double, kept>;
        Values achieved{};      ///< the pace that would have ended at the same time without being late
        Values late{};          ///< lateness as a share of the schedule
        std::size_t count = 0;  ///< of both, the latest last

        void add(double achieved_pace, double late_share);
        [[nodiscard]] bool enough() const { return count == kept; }
        [[nodiscard]] double median_of(Values values) const;
    };

    void judge_trial();
    void end_trial(bool accepted);
    void consider_trial();
    [[nodiscard]] bool times_out() const;

    double initial_;
    double settled_;
    double trial_ = 0;  ///< 0 if there is none
    Samples settled_samples_;
    double settled_seconds_ = 0;  ///< the scheduled time of the latest exchange that was no trial
    Samples trial_samples_;
    /// Exchanges until the next trial in one direction, more after every failure.
    struct Waiting {
        int left;
        int patience = 16;

        void after_failure();
    };
    Waiting upwards_{16};
    Waiting downwards_{0};
    double step_ = 0.03;        ///< how far the next trial upwards goes; doubles while trials succeed
    std::size_t failures_ = 0;  ///< trials that failed
};

}  // namespace aapc
