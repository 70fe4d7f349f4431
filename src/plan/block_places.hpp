/// @file
/// Where forwarded blocks lie while they pass through a rank.
#pragma once

#include <vector>

#include "aapc/plan/plan.hpp"
#include "aapc/check/schedule.hpp"
#include "aapc/timetable/timetable.hpp"

namespace aapc {

/// The places of the blocks that `rank` sends and receives, for a timetable that forwards and passes the checker.
/// `sends` and `receives` are what the timetable answers for the rank. Own blocks come straight from the send buffer,
/// blocks for the rank itself go straight to the receive buffer, all others lie in transit from the phase in which they
/// arrive to that in which they leave. No more places are used than blocks are in transit at once. A block gets the
/// place behind the block before it in the message if that is free, else the lowest free one, and neighbours make up
/// one run. O(blocks that the rank handles · log P) time and O(the same) space.
[[nodiscard]] Forwarding plan_forwarding(const Timetable& timetable, Rank rank, const std::vector<Transfer>& sends,
                                         const std::vector<Transfer>& receives);

/// The same for a schedule that forwards.
[[nodiscard]] Forwarding plan_forwarding(const Schedule& schedule, Rank rank, const std::vector<Transfer>& sends,
                                         const std::vector<Transfer>& receives);

}  // namespace aapc
