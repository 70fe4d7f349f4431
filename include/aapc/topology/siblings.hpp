/// @file
/// Communicators that exchange at the same time: the rows or the columns of a grid of ranks, and what each of them has
/// of the links that they share. Programs that keep three-dimensional data in pencils exchange in this way.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "aapc/topology/network.hpp"
#include "aapc/topology/placement.hpp"

namespace aapc {

/// The groups into which `members` and its likes divide the ranks 0 … ranks-1, as MPI_Cart_sub() and MPI_Comm_split()
/// make them of a grid: `members` has the ranks a, a+s, a+2s …, in any order, and each group has as many ranks, with
/// the same stride s. The one of `members` is among them. Each is ascending. Empty if `members` are not such ranks, if
/// groups of that kind do not divide all ranks, or if there is one group alone. O(ranks).
[[nodiscard]] std::vector<std::vector<Rank>> sibling_groups(std::span<const Rank> members, Rank ranks);

/// The network as the ranks of `own` see it while all groups in `together`, of which it is one, exchange blocks of the
/// same size: of each link, speed and buffers in proportion to its own messages among those of all. An exchange on
/// these links has the bound of the exchanges of all groups. Nullopt if no link that `own` uses carries messages of
/// another group, or if speeds are not known. O(groups · bound).
[[nodiscard]] std::optional<Network> shared_network(const Network& network, const Placement& own,
                                                    std::span<const Placement> together);

}  // namespace aapc
