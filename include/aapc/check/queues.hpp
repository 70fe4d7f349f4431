/// @file
/// The certificate of queues: what waits at the links of a network while messages start at the times of a schedule.
/// Contention-free phases on links that are all alike keep every queue empty; what does without them has to say how
/// long its queues get, so that they can be compared with the buffers of the ports.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "aapc/check/schedule.hpp"
#include "aapc/input/diagnostic.hpp"
#include "aapc/timetable/timetable.hpp"
#include "aapc/topology/network.hpp"
#include "aapc/topology/placement.hpp"

namespace aapc {

/// What is asked of certify_queues().
struct QueueRequest {
    /// How many bytes the first rank has for the second, at least 0: unequal messages. If the function is empty, every
    /// rank has one byte for every other, so that bytes are messages.
    std::function<double(Rank from, Rank to)> bytes = nullptr;
    /// A message of more bytes goes in k equal segments, as few as can be, and segment l of a message that starts at
    /// fraction f of the cycle starts at (l + f)/k of it. 0: every message goes in one.
    double segment_bytes = 0;
    /// All links are looked at up to this number of ranks, and a sample of them beyond it.
    Rank most_ranks_exact = 2048;
    /// The size of the sample. In a tree it has the links of this number of vertices at every distance from vertex 0,
    /// in a torus this number of links of every dimension. All are looked at in both directions; they are evenly
    /// spread, the first among them.
    std::int32_t links_per_level = 4;
    /// Of a fabric whose paths are hashed: the draw of the hash whose routes are taken. The bound is that of these
    /// routes, and a cycle that is shorter is taken to last as long. Sprayed messages are on all cables at once, in
    /// even parts.
    std::uint64_t draw = 0;
};

/// One direction of a link over a cycle.
struct LinkQueue {
    DirectedLink link = -1;
    double load_seconds = 0;    ///< what it needs for all that crosses it in a cycle, at its own speed
    double queue_bytes = 0;     ///< the longest queue, in bytes (in messages where every message is one byte)
    double at = 0;              ///< the moment of it: a fraction of the cycle, from 0 up to 1
    std::int64_t segments = 0;  ///< that cross it in a cycle
};

/// What was found. Times are in seconds on raw link speeds; where these are not known every link carries one byte a
/// second, and times are numbers of bytes.
struct QueueCertificate {
    double cycle_seconds = 0;
    double bound_seconds = 0;          ///< the largest LinkQueue::load_seconds
    double largest_segment_bytes = 0;  ///< 1 where every message is one byte
    LinkQueue longest;                 ///< of those looked at; LinkQueue::link is -1 where no message crosses a link
    std::vector<LinkQueue> links;      ///< all that were looked at and carry anything, in order of link
    bool exact = true;                 ///< all links were looked at
    std::string sample;                ///< what was looked at, in words: "all links"

    /// The longest queue in segments of the largest size.
    [[nodiscard]] double segments() const {
        return largest_segment_bytes > 0 ? longest.queue_bytes / largest_segment_bytes : 0;
    }
    /// The cycle as a multiple of the bound; 1 where no message crosses a link.
    [[nodiscard]] double cycle_over_bound() const { return bound_seconds > 0 ? cycle_seconds / bound_seconds : 1; }
};

/// The longest queue on any directed link in the steady state, when the schedule is repeated cycle after cycle. A
/// segment starts to flow into every link of its route at its starting time, at the speed of the slowest link before
/// that one (into the first link at that link's own speed), and a link serves what it holds at its own speed. Of a
/// bundle a segment has the speed of one cable, and all segments together have that of all cables.
///
/// The cycle is that of the schedule. Phases are taken to start evenly, each as long as its messages need on the
/// slowest link that any uses, or longer where the busiest link needs longer than all phases together. With
/// QueueRequest::bytes a cycle is as much longer than the bound for these as the schedule's is than its own, and a
/// phase as long as the largest message needs.
///
/// Written from this definition, with the checker's own routes; independent of how the times were made. Exact up to
/// rounding (a queue under a billionth of the largest segment counts as none). A violation if the schedule forwards
/// blocks, whose sizes differ, or the network is not what its kind says. O(U log U) for the U segments on all routes
/// together; at most about 200 MB at a time.
[[nodiscard]] Expected<QueueCertificate, Violation> certify_queues(const Schedule& schedule,
                                                                   const QueueRequest& request = {});

/// The same of a timetable, which is asked rank by rank and never written down as a whole: for networks of many ranks.
/// Beyond QueueRequest::most_ranks_exact only the ranks whose messages can cross a link of the sample are asked, and
/// the bound is that of these links, in a tree with equal messages that of all. It is also a violation if a message is
/// not between two ranks and within the cycle, or the cycle is shorter than the bound. That every pair is there is
/// check_schedule()'s to say.
[[nodiscard]] Expected<QueueCertificate, Violation> certify_queues(const Timetable& timetable, const Network& network,
                                                                   const Placement& placement,
                                                                   const QueueRequest& request = {});

/// The queue that N = `streams` evenly paced streams with random offsets exceed with that probability on a link of that
/// utilisation r, in messages: of the N*D/D/1 queue near r = 1, P(Q > q) = exp(-2q(q/N + 1 - r)), which is too long
/// below (Roberts & Virtamo 1991). O(1).
[[nodiscard]] double evenly_paced_queue(double streams, double utilisation, double probability);

/// What waits at the cables between switches of a fabric whose paths are hashed.
struct HashedQueues {
    double probability = 0;       ///< that a segment finds more than this when it starts
    double segments = 0;          ///< by sampling: over all segments on all these cables in all draws
    double formula_segments = 0;  ///< by the N*D/D/1 formula, with the same numbers of messages on the same cables
    double utilisation = 0;       ///< of the fullest cable, the mean of all draws
    int draws = 0;
};

/// The queue that is exceeded with that probability under a hash: `draws` draws of it, each as certify_queues() with
/// QueueRequest::draw. It is held against the N*D/D/1 queue of evenly paced streams with random offsets on the same
/// cables (exact; Roberts & Virtamo 1991); a timetable that is chosen well lies below it. All messages are equal. A
/// violation as those of certify_queues(), and for a network that is no fabric with hashed paths. O(draws · that).
[[nodiscard]] Expected<HashedQueues, Violation> certify_hashed_queues(const Timetable& timetable,
                                                                      const Network& network,
                                                                      const Placement& placement, int draws = 20,
                                                                      double probability = 1e-3);

/// The same of a schedule on its own network.
[[nodiscard]] Expected<HashedQueues, Violation> certify_hashed_queues(const Schedule& schedule, int draws = 20,
                                                                      double probability = 1e-3);

/// "1 of 1000 segments finds more than 4.1 segments (formula 5.0) under a hash, by 20 draws".
[[nodiscard]] std::string to_string(const HashedQueues& queues);

/// What a document says of queues.
struct QueueClaim {
    double messages = 0;  ///< the longest
    std::string from;     ///< the ends of the link on which it forms; empty where there is none
    std::string to;
};

/// Whether that is what was found: as long, and on a link on which one as long forms (several may be alike). Nothing if
/// it is.
[[nodiscard]] std::optional<Violation> check_queue_claim(const QueueCertificate& certificate, const Network& network,
                                                         const QueueClaim& claim);

/// Whether segments of that size fit the buffers that are known, on every link that was looked at; nothing if they do.
[[nodiscard]] std::optional<Violation> check_buffers(const QueueCertificate& certificate, const Network& network,
                                                     double segment_bytes);

/// "s0->s1".
[[nodiscard]] std::string link_name(const Network& network, DirectedLink link);

/// "longest queue 2.9 messages on s0->s1, at 0.31 of the cycle", or "no queue".
[[nodiscard]] std::string queue_text(const QueueCertificate& certificate, const Network& network);

/// "cycle 1.02 of the bound; longest queue 2.9 messages on s0->s1, at 0.31 of the cycle; all links".
[[nodiscard]] std::string to_string(const QueueCertificate& certificate, const Network& network);

}  // namespace aapc
