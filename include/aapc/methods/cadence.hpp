/// @file
/// The cadence of a timetable on its network: speeds, frames, and how long segments may be so that queues fit the
/// ports' buffers.
#pragma once

#include <cstdint>

#include "aapc/plan/pacing.hpp"
#include "aapc/timetable/timetable.hpp"
#include "aapc/topology/bound.hpp"
#include "aapc/topology/network.hpp"
#include "aapc/topology/placement.hpp"

namespace aapc {

/// The assumed buffer of a port without a declared one, in bytes: a millisecond of the link's speed, as switches have
/// from 1 Gbit/s on, and at least 32 KiB.
[[nodiscard]] std::int64_t assumed_buffer_bytes(double bits_per_second);

/// The buffer of a port for that direction of a link, in bytes: as the topology says, otherwise assumed_buffer_bytes().
/// 0 at a machine's port in a tree, where messages wait at their sender.
[[nodiscard]] std::int64_t port_buffer_bytes(const Network& network, DirectedLink directed);

/// The assumed longest queue where there are too many ranks for a certificate, in messages.
inline constexpr double assumed_queue_messages = 8;

/// The cadence of `timetable` on `network`; not known() where no message crosses a link or speeds are not known.
/// `bound` is that of `network` and `placement`. Of a timetable with a cycle the queues are certified
/// (aapc/check/queues.hpp): all of them up to 128 ranks, a sample up to 1,024 (none in a fabric), and beyond that they
/// are taken to be assumed_queue_messages long. The longest queue and one segment more fill at most three quarters of
/// any port's buffer, since ranks wake up late. Under a hash it is the queue that one segment in a thousand exceeds,
/// sampled up to 64 ranks and by a formula beyond (certify_hashed_queues(), evenly_paced_queue()). A sender's own port
/// in a tree loses nothing and does not count. The same on all ranks. O(messages · route · log messages) for what is
/// certified.
[[nodiscard]] Cadence find_cadence(const Network& network, const Placement& placement, const Bound& bound,
                                   const Timetable& timetable);

/// The assumed longest queue of unequal messages at a link that `messages` pairs of ranks share, in segments. The
/// segments of N pairs of different lengths have different periods, so their starts are practically random to each
/// other, and queues grow like the square root of N. This is 1.5 times it, more than in nine of ten exchanges of
/// docs/unequal.md, whose ranks spread their segments.
[[nodiscard]] double unequal_queue_segments(std::int64_t messages);

/// The cadence for messages of any lengths, from that of equal ones on the same network, whose queues are shorter:
/// segments of which unequal_queue_segments() and one more fit three quarters of any port's buffer, but of three frames
/// at least. `bound` is that of the network and placement. The same on all ranks. O(links).
[[nodiscard]] Cadence cadence_for_unequal(const Network& network, const Bound& bound, const Cadence& cadence);

}  // namespace aapc
