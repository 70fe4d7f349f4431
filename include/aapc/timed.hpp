/// @file
/// The arithmetic of time-triggered execution (`timed`): how a message is cut into segments, how long a slot is, and
/// how the pace follows what the network can really do. Pure functions and one small state machine; the clock itself is
/// in the executor.
#pragma once

#include <cstdint>

#include "aapc/timetable.hpp"

namespace aapc {

/// What a byte costs on an Ethernet wire under TCP, in bytes. The defaults are those of an MTU of 1500 with
/// time stamps, counted as a shaper and a switch's queue count them (without preamble and gap).
struct WireFormat {
    std::int64_t payload_per_frame = 1448;  ///< MTU 1500 less 40 bytes of IP and TCP header and 12 of time stamps
    std::int64_t frame_overhead = 66;       ///< 14 Ethernet + 20 IP + 20 TCP + 12 time stamps
    std::int64_t message_header = 40;       ///< what the MPI puts before a message; an upper estimate
    /// One 66-byte acknowledgement for every two frames, in the opposite direction of the link, where another rank's
    /// segment is on its way.
    double acknowledgement_per_frame = 33;
};

/// Bytes that a message of `bytes` puts on a link, acknowledgements of an equal message in the other direction
/// included.
[[nodiscard]] double wire_bytes(std::int64_t bytes, const WireFormat& wire = {});

/// A message cut into equal segments (the last may be shorter), and how long each has its links for itself.
struct Segmentation {
    std::int64_t segment_bytes = 0;
    std::int64_t segments = 0;
    double slot_seconds = 0;  ///< at the full pace
};

/// Cuts a message of `message_bytes` (> 0) for links of `bits_per_second` (> 0). `segment_bytes` (> 0) forces the size;
/// 0 picks one: about half a millisecond's worth, so that wake-ups are rare, but no more than `largest_segment`, so
/// that two segments that meet by accident fit into a switch's port buffer.
[[nodiscard]] Segmentation segment_message(std::int64_t message_bytes, double bits_per_second,
                                           std::int64_t segment_bytes = 0, const WireFormat& wire = {});

/// The pace of `timed` on one communicator: slots take (slot at full pace) / pace. It starts at the declared speed of
/// the links, backs off when segments come late and probes upwards while they do not, so that a wrong speed in the
/// topology file, other traffic or a straggler cost time but not correctness. All ranks feed it the same numbers and so
/// agree without asking.
class PaceController {
  public:
    /// `initial` in (0, largest].
    explicit PaceController(double initial = 0.98);

    [[nodiscard]] double pace() const { return pace_; }

    /// What one exchange showed: `scheduled_seconds` from the first slot to the end of the last, and `late_seconds`,
    /// the largest lateness over all ranks of the last segment against its slot's end (0 or less: none was late).
    void observe(double scheduled_seconds, double late_seconds);

  private:
    double pace_;
    double ceiling_;  ///< lowest pace that was seen to be too fast; probing stops below it
    int clean_runs_ = 0;
    int ceiling_age_ = 0;
};

}  // namespace aapc
