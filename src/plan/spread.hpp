/// @file
/// One rank's segments of unequal messages, spread so that they leave evenly towards every part of the network.
#pragma once

#include <vector>

#include "aapc/plan/unequal.hpp"
#include "aapc/topology/route_tree.hpp"

namespace aapc {

/// Moves the starts of a rank's segments, which are from 0 up to `cycle_seconds`, so that its flow through any link of
/// its routes keeps within most_segments_off of an even rate; segments that do are not moved. In a group of the tree
/// (aapc/topology/route_tree.hpp) the segments have an order, by their starts. Each has a time at which an even flow
/// would have sent the bytes before it. Groups are settled from the smallest on, except the group of all ranks, which
/// has no link. In the end the segments of each message are in order again. O(S · depth · log S) for S segments.
void spread_evenly(const RouteTree& tree, double cycle_seconds, std::vector<TimedSegment>& segments);

/// In segments of the largest size. With less, messages to one receiver no longer come evenly from all senders; with
/// more, trunks that many pairs share have longer queues (docs/unequal.md).
inline constexpr double most_segments_off = 0.5;

}  // namespace aapc
