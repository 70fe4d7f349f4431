/// @file
/// Where forwarded blocks lie while they pass through a rank.
#pragma once

#include <functional>
#include <vector>

#include "aapc/plan/plan.hpp"
#include "aapc/timetable/timetable.hpp"

namespace aapc {

/// Puts the blocks that a transfer carries behind what is in the vector, in order.
using AppendBlocks = std::function<void(const Transfer&, std::vector<Block>&)>;

/// The places of the blocks that `rank` sends and receives, for a timetable that forwards and passes the checker.
/// `sends` and `receives` are what the timetable answers for the rank. Own blocks come straight from the send buffer,
/// blocks for the rank itself go straight to the receive buffer, all others lie in transit from the phase in which they
/// arrive to that in which they leave. No more places are used than blocks are in transit at once. A block gets the
/// place behind the block before it in the message if that is free, else the lowest free one, and neighbours make up
/// one run. For b blocks that the rank handles and t in transit at once O(b · t/64) time at most and O(b) as a rule,
/// where places are taken in the order in which they were left; O(b) space.
[[nodiscard]] Forwarding plan_forwarding(Rank rank, const std::vector<Transfer>& sends,
                                         const std::vector<Transfer>& receives, const AppendBlocks& append_blocks);

}  // namespace aapc
