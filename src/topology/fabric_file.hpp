/// @file
/// The reader of topology files of kind "fabric".
#pragma once

#include "aapc/input/diagnostic.hpp"
#include "aapc/topology/network.hpp"
#include "topology/topology_tables.hpp"

namespace aapc {

/// The fabric of a file, or the first mistake in it (docs/topology-files.md).
[[nodiscard]] Expected<Network> read_fabric(const toml::table& root, TopologyTables& tables);

}  // namespace aapc
