/// @file
/// A short name for a network's wiring: results measured on one cluster are matched to it by this.
#pragma once

#include <string>

#include "aapc/topology/network.hpp"

namespace aapc {

/// "fnv1a:0123456789abcdef": FNV-1a, 64 bits, over a canonical text of the network: its kind, its vertices with their
/// names, its links with their speeds and latencies and its machines with the ranks they declare, all in the network's
/// order, since rank order and the choices of algorithms follow from it. What the text of a topology file says beyond
/// the network (comments, spelling of numbers, hostlists) does not count. Two networks of one digest are equal for all
/// purposes but forgery. O(vertices + links).
[[nodiscard]] std::string network_digest(const Network& network);

}  // namespace aapc
