/// @file
/// Topology files of kind "clusters".
#pragma once

#include "aapc/input/diagnostic.hpp"
#include "aapc/topology/network.hpp"
#include "topology/topology_tables.hpp"

namespace aapc {

/// Reads [network], [wide_area], every [[cluster]] and the [[switch]]es below them. The wide area becomes vertex 0;
/// clusters and switches follow in the order of the file, then their machines in that order.
[[nodiscard]] Expected<Network> read_clusters(const toml::table& root, TopologyTables& tables);

}  // namespace aapc
