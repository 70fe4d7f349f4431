/// @file
/// The arithmetic of time-triggered execution (`timed`): how a message is cut into segments, how long a slot is, and
/// how the pace follows what the network can really do. Pure functions and one small state machine; the clock itself is
/// in the executor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "aapc/timetable/timetable.hpp"

namespace aapc {

/// What a byte costs on an Ethernet wire under TCP, in bytes. The defaults are those of an MTU of 1500 with time
/// stamps, counted as a shaper and a switch's queue count them (without preamble and gap).
struct WireFormat {
    std::int64_t payload_per_frame = 1448;  ///< MTU 1500 less 40 bytes of IP and TCP header and 12 of time stamps
    std::int64_t frame_overhead = 66;       ///< 14 Ethernet + 20 IP + 20 TCP + 12 time stamps
    std::int64_t message_header = 40;       ///< what the MPI puts before a message; an upper estimate
    /// One acknowledgement of 66 bytes for every two frames, in the opposite direction of the link, where another
    /// rank's segment is on its way.
    std::int64_t acknowledgement_per_frame = 33;
};

/// Bytes that a message of `bytes` puts on a link, the acknowledgements of an equal message in the other direction
/// included.
[[nodiscard]] std::int64_t wire_bytes(std::int64_t bytes, const WireFormat& wire = {});

/// A message cut into segments, all of one size but the last, and how long each has its links for itself. Segment k of
/// a message of phase p starts (k·N + p) slots after the common start; the slots of the last round are shorter where
/// the last segment is.
struct Segmentation {
    std::int64_t segment_bytes = 0;
    std::int64_t segments = 0;
    std::int64_t last_segment_bytes = 0;
    double slot_seconds = 0;       ///< at full pace: the links are busy all the time
    double last_slot_seconds = 0;  ///< of the last round

    /// When the slot of segment `segment` in phase `phase` starts at full pace, in seconds after the common start.
    [[nodiscard]] double start_seconds(std::int64_t segment, Phase phase, Phase phases) const;
    /// When the last slot of all ends.
    [[nodiscard]] double end_seconds(Phase phases) const { return start_seconds(segments - 1, phases, phases); }
};

/// Cuts a message of `message_bytes` (> 0) for links of `bits_per_second` (> 0). `segment_bytes` (> 0) forces the size.
/// With 0 it is whole frames for about half a millisecond, so that wake-ups are rare, within 3 to 22 frames: less and
/// headers cost too much, more and two segments that meet by accident no longer fit into a small switch's port buffer.
[[nodiscard]] Segmentation segment_message(std::int64_t message_bytes, double bits_per_second,
                                           std::int64_t segment_bytes = 0, const WireFormat& wire = {});

/// The pace of `timed` for messages of about one size on one communicator: slots take (slot at full pace) / pace. It
/// starts close to the declared speed of the links. Lateness alone does not slow it down, since a busy machine is late
/// at any pace: it tries another pace for a few exchanges and keeps it only if they end sooner. So a wrong speed in the
/// topology file, other traffic or a straggler cost time but not correctness. A pure function of what it is fed: ranks
/// that feed it the same agree without asking.
class PaceController {
  public:
    /// The pace to start with. Full pace is 1; just below it queues stay short, just above it they never drain.
    static constexpr double initial_pace = 0.98;

    /// The pace for the next exchange.
    [[nodiscard]] double pace() const { return trial_ > 0 ? trial_ : settled_; }

    /// What an exchange at pace() showed: `scheduled_seconds` (> 0) from the common start to the end of the last slot,
    /// and `late_seconds`, by how much the last segment of the last rank came behind it (0: it did not).
    void observe(double scheduled_seconds, double late_seconds);

  private:
    /// The last few exchanges at one pace.
    struct Samples {
        std::vector<double> achieved;  ///< the pace that would have ended as late without being late
        std::vector<double> late;      ///< lateness as a share of the schedule

        void add(double achieved_pace, double late_share);
        [[nodiscard]] bool enough() const;
    };

    void judge_trial();
    void end_trial(bool accepted);
    void consider_trial();

    double settled_ = initial_pace;
    double trial_ = 0;  ///< 0: none
    Samples settled_samples_;
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
