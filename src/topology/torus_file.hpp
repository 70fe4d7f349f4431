/// @file
/// Topology files of kind "torus".
#pragma once

#include "aapc/input/diagnostic.hpp"
#include "aapc/topology/network.hpp"
#include "topology/topology_tables.hpp"

namespace aapc {

/// Reads [network] with its sides and machines: as many machines, row by row, as the sides have room for.
[[nodiscard]] Expected<Network> read_torus(const toml::table& root, TopologyTables& tables);

}  // namespace aapc
