/// @file
/// What is found out about a network by measuring: rounds of flows that go at once, and the tree that explains how fast
/// they went.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "aapc/topology/network.hpp"

namespace aapc::discovery {

/// A stream from one machine to another, and how fast it went (payload).
struct Flow {
    Machine from = -1;
    Machine to = -1;
    double bytes_per_second = 0;  ///< as measured, above 0; 0: not measured yet

    friend bool operator==(const Flow&, const Flow&) = default;
};

/// Flows that go at once. A machine sends one at most and receives one at most, so that none waits for a partner's
/// other business.
using Round = std::vector<Flow>;

/// What a group of machines was found by.
enum class Evidence : std::uint8_t {
    bandwidth,  ///< flows that leave it are slower together than their ports
    latency,    ///< messages take longer to leave it; no set of flows fills its uplink
};

/// Machines behind a switch, and the link that joins it to the others.
struct Group {
    std::vector<Machine> machines;  ///< all that are behind that link, ascending; at least two
    double bytes_per_second = 0;  ///< of the link, in each direction, as payload; the least that it can be, for latency
    double low = 0, high = 0;     ///< the middle half of what was seen of it where it was full
    int times_full = 0;           ///< rounds and directions in which more was offered than it carried
    Evidence evidence = Evidence::bandwidth;
    double quartets_agree = 0;  ///< of latency: LatencySplit::quartets_agree
};

/// A tree of switches. Groups are nested or apart, and none contains machine 0; so they say which switch is plugged
/// into which (splits of the leaves that are compatible make one tree: Buneman, "The recovery of trees from measures of
/// dissimilarity", 1971).
struct SwitchTree {
    std::vector<double> ports;  ///< payload in bytes per second of each machine's link, in each direction
    std::vector<Group> groups;  ///< a group comes before those in it
};

/// For each group the index of the smallest group around it, or -1.
[[nodiscard]] std::vector<int> parents(const SwitchTree& tree);

/// For each machine the index of the smallest group that it is in, or -1.
[[nodiscard]] std::vector<int> switch_of(const SwitchTree& tree);

/// What each flow of a round should get where flows that meet share evenly (max-min fair, by progressive filling:
/// Bertsekas & Gallager, "Data Networks", section 6.5.2), in bytes per second. O(flows · (groups + bottlenecks)).
[[nodiscard]] std::vector<double> fair_rates(const SwitchTree& tree, const Round& round);

/// The same of many rounds, each by itself.
[[nodiscard]] std::vector<std::vector<double>> fair_rates(const SwitchTree& tree, const std::vector<Round>& rounds);

}  // namespace aapc::discovery
