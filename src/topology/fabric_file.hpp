/// @file
/// Topology files of fabrics.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "aapc/input/diagnostic.hpp"
#include "aapc/topology/network.hpp"
#include "topology/topology_tables.hpp"

namespace aapc {

/// The network that the tables of a file with `kind = "fabric"` describe. `dump`: what is in the file that its `tables`
/// names; nullopt if that was not read.
[[nodiscard]] Expected<Network> read_fabric(const toml::table& root, TopologyTables& tables,
                                            std::optional<std::string_view> dump);

/// A path in the file `file`, relative to the directory of that file.
[[nodiscard]] std::string path_beside(std::string_view file, std::string_view path);

}  // namespace aapc
