/// @file
/// What the tables of a topology file say, before anybody knows whether it makes a tree; and the step that finds out.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aapc/topology/network.hpp"
#include "input/first_mistake.hpp"

namespace aapc {

struct DeclaredName {
    std::string name;
    Position position;
};

/// What ports can hold, in bytes.
using DeclaredBuffer = std::optional<std::int64_t>;

struct DeclaredMachine {
    DeclaredName name;
    std::int32_t ranks = 1;
};

/// One [[switch]], or what a network of another kind has in its place; speeds in bits per second.
struct DeclaredSwitch {
    std::string_view what = "switch";  ///< in messages
    Position position;                 ///< of the table
    DeclaredName name;
    std::optional<DeclaredName> uplink;
    std::optional<double> speed;  ///< of the uplink, or of each of its cables
    std::int32_t uplink_cables = 1;
    double latency_seconds = 0;           ///< of the uplink
    std::optional<double> machine_speed;  ///< of the links to its machines
    DeclaredBuffer buffer;                ///< of every port of it that says nothing else
    DeclaredBuffer uplink_buffer;         ///< of the ports at both ends of the uplink
    DeclaredBuffer machine_buffer;        ///< of its ports to its machines
    std::vector<DeclaredMachine> machines;
};

struct DeclaredTree {
    NetworkKind kind = NetworkKind::tree;
    std::optional<double> speed;  ///< of every link that says nothing else
    DeclaredBuffer buffer;        ///< of every port that says nothing else
    std::int32_t mtu_bytes = usual_mtu_bytes;
    std::vector<DeclaredSwitch> switches;
};

/// The network, or the first reason in the file why the tables do not describe a tree of distinct names with at least
/// one machine and a speed for every link. O(names), without recursion. Only a wrong uplink costs O(names) more.
[[nodiscard]] Expected<Network> connect(const DeclaredTree& tree, std::string_view file);

}  // namespace aapc
