/// @file
/// Communicators that exchange at the same time: the rows or the columns of a grid of ranks, and what each of them has
/// of the links that they share. Programs that keep three-dimensional data in pencils exchange in this way.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
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

/// The network as a communicator sees it while its siblings exchange as well.
struct SharedLinks {
    Network network;
    std::size_t siblings = 0;  ///< with the communicator in question
};

/// shared_network() for `members`, ranks of `world`, and all sibling_groups() that divide `world` in their way. Nullopt
/// if there are none with which links are shared, or so many that finding it out would take longer than the set-up of
/// an exchange.
[[nodiscard]] std::optional<SharedLinks> links_shared_by(const Network& network, const Placement& world,
                                                         std::span<const Rank> members);

/// "it is taken to share links with 3 communicators that exchange at the same time"; `siblings` as in SharedLinks.
[[nodiscard]] std::string sharing_text(std::size_t siblings);

}  // namespace aapc
