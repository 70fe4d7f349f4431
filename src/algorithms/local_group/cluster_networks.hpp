/// @file
/// The clusters of a network, each as a network of its own.
#pragma once

#include <vector>

#include "aapc/topology/network.hpp"
#include "aapc/topology/placement.hpp"

namespace aapc::local_group {

/// A network of kind `clusters` without its wide area. What looks at one cluster then costs no more than the cluster
/// is large, however many others there are.
struct ClusterNetworks {
    std::vector<Network> networks;       ///< by cluster; vertices, links and machines in the order of the whole
    std::vector<Machine> machine_there;  ///< by machine of the whole: which it is in its cluster's network

    /// Where those ranks, all of one cluster, are in its network. O(ranks).
    [[nodiscard]] Placement placement_of(const std::vector<Rank>& ranks, const Placement& placement) const;
};

/// The parts have no names. O(vertices).
[[nodiscard]] ClusterNetworks split_at_wide_area(const Network& network);

}  // namespace aapc::local_group
