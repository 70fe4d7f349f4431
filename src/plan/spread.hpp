/// @file
/// One rank's segments of unequal messages, spread so that they leave evenly towards every part of the network.
#pragma once

#include <vector>

#include "aapc/demand/route_tree.hpp"
#include "aapc/plan/unequal.hpp"

namespace aapc {

/// Moves the starts of a rank's segments, which are from 0 up to `cycle_seconds`, so that what it sends through any
/// link of its routes keeps within most_segments_off of an even rate; nothing moves that does. In a group of the tree
/// (aapc/demand/route_tree.hpp) the segments have an order, by their starts, and with it a moment each at which an even
/// flow would have sent so many bytes. Groups are settled from the smallest on, but for the one that has all, which no
/// link is for. In the end the segments of each message are in order again. O(S · depth · log S) for S segments.
void spread_evenly(const RouteTree& tree, double cycle_seconds, std::vector<TimedSegment>& segments);

/// In segments of the largest size. With less, messages to one receiver no longer come evenly from all senders; with
/// more, trunks that many pairs share have longer queues (docs/unequal.md).
inline constexpr double most_segments_off = 0.5;

}  // namespace aapc
