/// @file
/// What a topology file says of a wiring: the tree that it is, or else a fabric of all its switches and cables.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "aapc/input/diagnostic.hpp"
#include "cli/imports/wiring.hpp"

namespace aapc::imports {

/// The cables to another switch.
struct FoundUplink {
    std::string to;
    double speed = 0;  ///< bits per second of each; 0 if not known
    int cables = 1;
};

/// What a switch's forwarding table sends over one of its cables.
struct FoundRoute {
    std::string to;  ///< the switch at the other end
    int cable = 0;   ///< which of the cables to it, from 0
    std::vector<std::string> machines;
};

struct FoundSwitch {
    std::string name;
    std::vector<FoundUplink> uplinks;   ///< at most one in a tree
    std::vector<std::string> machines;  ///< in order
    double machine_speed = 0;           ///< bits per second; 0 if not known
    bool is_port = false;               ///< stands for the port of its only machine, whose speed is another one
    std::vector<FoundRoute> routes;     ///< of a fabric with forwarding tables
};

struct FoundNetwork {
    bool is_fabric = false;
    std::string_view paths;             ///< of a fabric, in a topology file's word
    std::vector<FoundSwitch> switches;  ///< of a tree each after the one above it
    std::vector<std::string> remarks;   ///< what was merged, left out or assumed on the way
};

/// The network of a wiring without sides.
///
/// A tree if there is one way between any two switches, and no forwarding tables are known; then its topmost switch is
/// the one farthest from machines. Otherwise a fabric: switches nearest to machines first, each cable at its end that
/// is nearer to machines. Switches that machines are plugged into together (MLAG) are one where their cables to others
/// carry the same; otherwise a switch of the machines stands before them. Static paths without tables are static only
/// where all switches of a level have as many cables upwards: elsewhere the tables cannot be guessed, and the even
/// bound of sprayed ones is right whatever they are.
///
/// Fails if there is no machine, if a machine's switches are several networks, or if the switches form several parts.
/// Switches that lead to no machine are left out with a remark. O(cables + switches · machines of the tables).
[[nodiscard]] Expected<FoundNetwork> found_network(const Wiring& wiring, const std::string& file);

}  // namespace aapc::imports
