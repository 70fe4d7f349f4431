/// @file
/// Topology files (TOML): docs/topology-files.md has the format.
#pragma once

#include <string>
#include <string_view>

#include "aapc/input/diagnostic.hpp"
#include "aapc/topology/network.hpp"

namespace aapc {

/// Reads a topology from text. `file` is only used in diagnostics. Nothing is returned unless everything is right.
/// Otherwise one mistake is reported with its position (columns count bytes, without a byte order mark): of several,
/// the first in the file, where mistakes in the TOML itself come before mistakes in a single table and these before
/// those that only show when all switches are looked at together. Something missing is reported only where nothing is
/// wrong. O(text + machines).
///
/// Vertices are the switches, then the machines, each in file order. Links are, switch by switch in file order, the
/// switch's uplink if it has one and then the links of its machines. In a network of clusters vertex 0 is the wide area
/// (aapc/topology/clusters.hpp), and the clusters count as switches. A torus is what torus_network() makes
/// (aapc/topology/torus.hpp).
[[nodiscard]] Expected<Network> read_topology(std::string_view text, std::string_view file);

/// The text as it travels from one process to another: with the forwarding tables behind it whose file `tables` of a
/// fabric names, beside `path`. Any other text is returned as it is, mistakes included. Fails where that file cannot be
/// read. read_topology() takes the result.
[[nodiscard]] Expected<std::string> with_tables(std::string text, const std::string& path);

/// Reads the file of that name, and the tables beside it, and then the text as above. A directory, an unreadable file or one over 16 MiB is a
/// diagnostic too.
[[nodiscard]] Expected<Network> read_topology_file(const std::string& path);

}  // namespace aapc
