/// @file
/// The tree as the schedule sees it: ranks as leaves, a root, and its branches laid out one after the other.
#pragma once

#include <cstdint>
#include <vector>

#include "aapc/topology/network.hpp"
#include "aapc/topology/placement.hpp"

namespace aapc::tree {

/// A place in the depth-first order of the ranks: 0 … P-1, branches of the root consecutive.
using Position = std::int32_t;

/// All ranks below one link, as positions [first, last). The link's two directions carry what leaves and what enters
/// the interval, nothing else.
struct Interval {
    Position first = 0;
    Position last = 0;
    std::int32_t parent = -1;  ///< the next larger interval, -1 for a branch of the root

    [[nodiscard]] bool contains(Position position) const { return first <= position && position < last; }
};

/// A tree network with the ranks of one placement as leaves under their machines, seen from its root: the vertex none
/// of whose branches holds more than half of the ranks (Faraj & Yuan 2005, section 4.1; condition 2 there implies
/// condition 1). Branches are in descending order of size, those of equal size in the order of their lowest rank.
/// Within a branch the order is depth first: a switch's own machines, then its neighbouring switches, in file order;
/// the ranks of a machine in ascending order.
struct RootedTree {
    std::vector<std::int32_t> branch_sizes;  ///< descending; their sum is P
    std::vector<Rank> rank_at;               ///< by position
    std::vector<Position> position_of;       ///< by rank
    /// Each set of ranks below a link once, however many links in a row it hangs from; nested or disjoint.
    std::vector<Interval> intervals;
    std::vector<std::int32_t> interval_of;  ///< by position: the interval of that rank alone

    Vertex root = -1;
};

/// O(vertices + P log P). The network is a tree; the placement has at least one participant.
[[nodiscard]] RootedTree root_tree(const Network& network, const Placement& placement);

}  // namespace aapc::tree
