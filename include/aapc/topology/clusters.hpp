/// @file
/// Clusters that are joined by a wide-area network.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "aapc/topology/network.hpp"
#include "aapc/topology/placement.hpp"

namespace aapc {

/// A cluster of a network of kind `clusters`, counted in the order of the file.
using Cluster = std::int32_t;

/// What a network of kind `clusters` is made of. Its vertex 0 is the wide area, a switch of its own, and each link
/// there leads to one cluster: a tree of switches whose topmost has the cluster's name.
struct Clusters {
    std::vector<Vertex> switch_of;          ///< by cluster: its topmost switch
    std::vector<Cluster> cluster_of;        ///< by machine
    std::vector<std::int32_t> machines_of;  ///< by cluster: how many machines it has
};

/// The network is of kind `clusters`. O(vertices).
[[nodiscard]] Clusters find_clusters(const Network& network);

/// The ranks in each cluster that has any, ascending; clusters in the order of the network. O(vertices + participants).
[[nodiscard]] std::vector<std::vector<Rank>> ranks_by_cluster(const Network& network, const Placement& placement);

/// What the wide area adds to the time of a message from one cluster to another: the latencies of both their links.
/// O(1).
[[nodiscard]] double wide_area_latency_seconds(const Network& network, Cluster from, Cluster to);

}  // namespace aapc
