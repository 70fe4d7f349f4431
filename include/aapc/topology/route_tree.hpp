/// @file
/// Where the messages of one rank part on their way.
#pragma once

#include <cstdint>
#include <vector>

#include "aapc/topology/network.hpp"
#include "aapc/topology/placement.hpp"

namespace aapc {

/// The routes from one rank to all others are a tree whose root the rank is. A group is what lies behind a link: those
/// ranks that the rank's messages reach through it. Groups that have the same ranks are one, and the port of the rank's
/// own machine in a tree makes none: what is too much for it waits in the machine.
struct RouteTree {
    std::vector<std::int32_t> parent;    ///< by group, each behind its parent; -1 for group 0, which has all ranks
    std::vector<std::int32_t> group_of;  ///< by rank: the smallest group that has it
};

/// That of `rank`, in a fabric along its cuts (tree_of_cuts()). On a network of kind torus that is none, and where a
/// machine cannot be reached, group 0 has what is left. O(vertices + participants) in a tree, O(machines · route) on a
/// torus. Throws std::bad_alloc alone.
[[nodiscard]] RouteTree route_tree(const Network& network, const Placement& placement, Rank rank);

}  // namespace aapc
