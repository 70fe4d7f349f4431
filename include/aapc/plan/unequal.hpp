/// @file
/// Time-triggered unequal messages: the segments of one rank of an MPI_Alltoallv, from its plan, its counts and the
/// bound that all ranks have agreed on (aapc/topology/link_loads.hpp). docs/unequal.md describes the whole.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "aapc/plan/pacing.hpp"
#include "aapc/plan/plan.hpp"
#include "aapc/topology/route_tree.hpp"

namespace aapc {

/// A piece of a message, at either end of it.
struct TimedSegment {
    double start_seconds = 0;  ///< after the common start, at full pace
    Rank peer = -1;            ///< the rank that it goes to, or comes from
    std::int64_t offset = 0;   ///< in the message, in bytes
    std::int64_t bytes = 0;    ///< at least 1

    friend bool operator==(const TimedSegment&, const TimedSegment&) = default;
};

/// What one rank does in one exchange of messages of any lengths. Segments of one message follow each other in the
/// lists of both its ends, and both ends cut it identically.
struct UnequalPlan {
    std::vector<TimedSegment> sends;     ///< in order of start, then peer
    std::vector<TimedSegment> receives;  ///< in about the order in which their senders start them
    double cycle_seconds = 0;            ///< duration of the exchange at full pace; the same on all ranks
    double drain_seconds = 0;            ///< additional time until the last segment has arrived; the same on all ranks

    /// When the last segment of all has arrived, at full pace.
    [[nodiscard]] double end_seconds() const { return cycle_seconds + drain_seconds; }
};

/// The bytes of a segment of `bytes` on a link, headers included; its acknowledgements go the other way. wire_bytes()
/// of equal messages has both.
[[nodiscard]] std::int64_t bytes_sent(std::int64_t bytes, const WireFormat& wire);

/// Bytes on the wire, by the other rank: what LinkLoads::write_share() takes.
struct WireCounts {
    std::vector<std::int64_t> to;    ///< bytes that this rank puts on the wire for it
    std::vector<std::int64_t> from;  ///< bytes that it puts on the wire for this one
};

/// The bytes of one rank's messages on the wire once they are cut by `cadence` (and `segment_bytes`, 0 or forced, the
/// same on all ranks), headers included. `sent` and `received` are bytes (>= 0) by the other rank, participants each. A
/// rank acknowledges the bytes that it receives, and its acknowledgements count as its bytes. O(participants). Throws
/// std::bad_alloc alone.
[[nodiscard]] WireCounts wire_counts(const Cadence& cadence, std::int64_t segment_bytes,
                                     std::span<const std::int64_t> sent, std::span<const std::int64_t> received);

/// The segments of a rank's messages: those of one message evenly over the cycle, segment l of k that `plan` starts at
/// fraction f of its cycle at (l + f)/k of this exchange's. So every pair of ranks sends at its constant rate, and no
/// link is asked for more than it carries.
///
/// With the rank's `routes` (route_tree()) starts are moved by a segment or so where a rank would send unevenly through
/// a link: queues at links that many pairs share are half as long then. Receives are listed as if no start had been
/// moved, since a rank does not know its senders' other messages.
///
/// `plan` has phases or a cycle and forwards no blocks; messages with ranks that it does not list, such as those of the
/// same machine, are not in the result. The ratio of the cycle to `bound_seconds` (DemandBound::seconds(), for
/// wire_counts()) is that of the plan's cycle to the plan's bound. `sent` and `received` as above; what one rank sends
/// is what the other receives. O(S log S) for S segments, O(participants) more. Throws std::bad_alloc alone.
[[nodiscard]] UnequalPlan make_unequal_plan(const Plan& plan, const Cadence& cadence, std::int64_t segment_bytes,
                                            double bound_seconds, std::span<const std::int64_t> sent,
                                            std::span<const std::int64_t> received, const RouteTree* routes = nullptr);

}  // namespace aapc
