/// @file
/// Store-and-forward: whether every block gets to where it has to go.
#pragma once

#include <optional>

#include "aapc/check/schedule.hpp"
#include "aapc/topology/network.hpp"
#include "aapc/topology/placement.hpp"

namespace aapc::check {

/// Follows every block of a draft that forwards, from its origin, phase by phase. Nothing if each ordered pair's block
/// ends at its destination; every message carries a block at least, each of them from where it is, no block in the
/// phase in which it arrives, and none leaves its destination. Every message must be one between two participants, and
/// every participant sit on a machine. O(blocks carried) expected time and space, whatever number of participants is
/// claimed, plus O(messages · log messages).
[[nodiscard]] std::optional<Violation> follow_blocks(const ScheduleDraft& draft, const Network& network,
                                                     const Placement& placement);

}  // namespace aapc::check
