/// @file
/// Forwarding tables as the tools of InfiniBand print them, for a fabric of a topology file.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "aapc/input/diagnostic.hpp"
#include "aapc/topology/network.hpp"

namespace aapc {

/// By a switch and the number of one of its ports: the link that is plugged in there.
using FabricPorts = std::map<std::pair<Vertex, int>, std::int32_t>;

/// The tables of `text` as entries for the fabric's switches and machines, which are known by their names. Which cable
/// a port has is in `ports`; otherwise it is seen from the entries for the neighbouring switches, and if the cables to
/// all neighbours but one are known the rest are those to that one, in the order of their ports. Tables and
/// destinations that are not in the fabric are passed over. Of several addresses of a machine (ports, LMC) the one that
/// is plugged into its switch counts, then the lowest.
///
/// Fails, naming `file` and the line, if a switch of the fabric has no table, if a table lacks a machine, and if it
/// does not show which cable a port has. O(text + machines · switches).
[[nodiscard]] Expected<std::vector<TableEntry>> fabric_tables(const Network& fabric, FabricPorts ports,
                                                              std::string_view text, const std::string& file);

}  // namespace aapc
