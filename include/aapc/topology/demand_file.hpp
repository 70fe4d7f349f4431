/// @file
/// Demands as people write them down (CSV): docs/unequal.md has the format.
#pragma once

#include <string>
#include <string_view>

#include "aapc/input/diagnostic.hpp"
#include "aapc/topology/demand.hpp"

namespace aapc {

/// Reads a demand among `participants` ranks: a line for each sender with a number of bytes for each receiver,
/// separated by commas; sizes may have a unit ("64Ki"). Empty lines and those that begin with # do not count. `file` is
/// only used in diagnostics, which have line and column of the first mistake. O(text).
[[nodiscard]] Expected<Demand> read_demand(std::string_view text, std::string_view file, Rank participants);

/// The same as text that read_demand() reads: plain bytes, a line for each sender.
[[nodiscard]] std::string demand_csv(const Demand& demand);

}  // namespace aapc
