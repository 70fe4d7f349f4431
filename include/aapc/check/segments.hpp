/// @file
/// The certificate of an exchange of unequal messages that are cut into segments: every byte of every message once, at
/// both ends alike, no link asked for more than it carries, and how much ever waits where.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "aapc/check/queues.hpp"
#include "aapc/check/schedule.hpp"
#include "aapc/input/diagnostic.hpp"
#include "aapc/topology/network.hpp"
#include "aapc/topology/placement.hpp"

namespace aapc {

/// A piece of a message, as one of its ends has it.
struct StartedSegment {
    Rank from = -1;
    Rank to = -1;
    std::int64_t offset = 0;  ///< in the message, in bytes
    std::int64_t bytes = 0;
    double start_seconds = 0;  ///< after the common start
};

/// What all ranks say that they will do.
struct SegmentedExchange {
    /// How many bytes the first rank has for the second, at least 0.
    std::function<std::int64_t(Rank from, Rank to)> bytes;
    /// How many bytes a segment of `bytes` bytes puts on a link; the same number if the function is empty.
    std::function<std::int64_t(std::int64_t bytes)> wire_bytes = nullptr;
    /// How many bytes the receiver of such a segment answers, on the route back, from the segment's start on; 0 if the
    /// function is empty.
    std::function<std::int64_t(std::int64_t bytes)> answer_bytes = nullptr;
    std::vector<StartedSegment> sent;      ///< those of one message in the order in which they are sent
    std::vector<StartedSegment> received;  ///< those of one message in the order in which they are received
    double cycle_seconds = 0;              ///< the time after which the exchange is repeated
};

/// Whether the segments of every message between different ranks follow each other from its first byte to its last at
/// both of its ends, start within the cycle and in that order, and no link is asked for more than it carries in a
/// cycle; a violation says which not. Then the longest queues in the steady state, as certify_queues() has it: in bytes
/// on the wire, with their links and moments. Messages that an exchange leaves out altogether, such as those inside
/// machines that are copied, are a violation unless both ranks are on one machine. All links are looked at, with the
/// checker's own routes. O(U log U) time and 32·U bytes for the U segments on all routes together.
[[nodiscard]] Expected<QueueCertificate, Violation> certify_segments(const Network& network, const Placement& placement,
                                                                     const SegmentedExchange& exchange);

/// "bound 12.3 ms; cycle 1.02 of the bound; longest queue 11.2 KiB on s0->s1, at 0.31 of the cycle".
[[nodiscard]] std::string segments_text(const QueueCertificate& certificate, const Network& network);

}  // namespace aapc
