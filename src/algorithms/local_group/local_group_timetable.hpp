/// @file
/// The algorithm `local-group`: each cluster gathers what has to leave it, and few, large messages cross the wide area
/// (Steffenel, Martinasso & Trystram, section VI B, corrected and extended: docs/local-group.md).
#pragma once

#include <memory>
#include <string_view>

#include "aapc/algorithms/algorithm.hpp"

namespace aapc::local_group {

/// How the blocks are shared out that the incomplete last group of the larger cluster cannot send by itself.
inline constexpr std::string_view variants[] = {"balanced"};

/// Larger blocks are not gathered: the blocks that leave a cluster at once then exceed a switch's port buffer, and
/// direct sending is as fast or faster (docs/measurements.md, "Two clusters").
inline constexpr std::int64_t smallest_block_not_gathered = 1024;
inline constexpr Use uses[] = {
    {.kind = NetworkKind::clusters, .from_bytes = 1, .below_bytes = smallest_block_not_gathered}};

/// The first phases are those of `tree` inside every cluster, all clusters at the same time: contention-free and as few
/// as the cluster's busiest link allows. The phases across the wide area follow, one port; of two clusters with n1 and
/// n2 ranks, 2·max(n1, n2) messages cross it, each with about min(n1, n2) blocks, which is the only time that a block
/// crosses it. Where all ranks are in one cluster it is `tree`. The network is of kind `clusters`. O(P log P +
/// clusters²).
[[nodiscard]] Expected<std::unique_ptr<Timetable>> build(const Network& network, const Placement& placement,
                                                         std::string_view variant);

}  // namespace aapc::local_group
