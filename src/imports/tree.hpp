/// @file
/// The tree that a network is, or that stands for it: what today's topology files can say.
#pragma once

#include <string>
#include <vector>

#include "aapc/input/diagnostic.hpp"
#include "imports/wiring.hpp"

namespace aapc::imports {

/// A switch of a tree.
struct FoundSwitch {
    std::string name;
    std::string uplink;                 ///< the switch above it; empty at the top
    double uplink_speed = 0;            ///< bits per second of each of its cables; 0 if not known
    int uplink_links = 1;               ///< cables
    std::vector<std::string> machines;  ///< in order
    double machine_speed = 0;           ///< bits per second; 0 if not known
    bool is_port = false;               ///< stands for the port of its only machine, whose speed is another one
};

/// Switches come after the one above them.
struct FoundTree {
    std::vector<FoundSwitch> switches;
    std::vector<std::string> remarks;  ///< what was merged, left out or assumed on the way
};

/// The tree of a network without sides.
///
/// A network with several paths becomes a tree level by level, from the switches with machines upwards: all switches
/// above the same ones are one. Each link of the tree has the sum of its cables' speeds, which is the capacity of the
/// cut it stands for. Whether a cut is lost that the tree lacks is then tried: all pairs of machines send over their
/// shortest paths in the network as read, divided in proportion to what the cables carry. If the busiest cable needs
/// longer than the tree's bound, the tree promises more than the network has. This is a remark up to 1.25 times the
/// bound, and a failure beyond.
///
/// Fails also if there is no machine, if a machine's switches are several networks, or if the switches form several
/// parts. Switches that lead to no machine are left out with a remark. O(leaves * cables) for networks with several
/// paths. Source: Leiserson 1985 (fat trees as trees of channels).
[[nodiscard]] Expected<FoundTree> tree_of(const Wiring& wiring, const std::string& file);

}  // namespace aapc::imports
