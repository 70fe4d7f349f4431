/// @file
/// Positions: the numbers under which a lattice knows the ranks.
#pragma once

#include <cstdint>
#include <vector>

#include "aapc/input/diagnostic.hpp"
#include "aapc/topology/network.hpp"
#include "aapc/topology/placement.hpp"

namespace aapc::lattice {

/// A rank's number in the order in which the lattice counts them, from 0.
using Position = std::int32_t;

/// In which order the machines of a fabric are counted.
enum class FabricOrder : std::uint8_t {
    file,         ///< as in the file, by which destination-modulo counts them
    depth_first,  ///< of the tree of its cuts (tree_of_cuts())
};

/// Who has which position. Depth first in a tree, so that what is below a link is an interval; by machine, which is
/// row-major, on a torus; in a fabric as `FabricOrder` says. Ranks of one machine follow each other, in ascending
/// order.
struct Positions {
    std::vector<Position> position_of;  ///< by rank
    std::vector<Rank> rank_at;          ///< by position
};

/// Where a rank is.
struct Seat {
    std::int32_t at = 0;     ///< the switch, in the order in which the positions meet switches, from 0
    std::int32_t place = 0;  ///< among the ranks of its switch, from 0
};

/// Where all ranks are. At each switch the first ranks of all its machines come first, in order of position, then the
/// second ones, and so on: ranks of one machine, which share a port, are far from each other.
struct Seats {
    std::vector<Seat> by_position;
    std::vector<std::int32_t> ranks_at;  ///< by switch
};

/// Every machine is plugged into one switch, as in a fabric. O(vertices + participants · log participants).
[[nodiscard]] Seats seat_ranks(const Network& network, const Placement& placement, const Positions& positions);

/// The positions of the participants, or a diagnostic if a machine of theirs cannot be reached from vertex 0.
/// O(vertices · log vertices + participants).
[[nodiscard]] Expected<Positions> place_ranks(const Network& network, const Placement& placement,
                                              FabricOrder order = FabricOrder::depth_first);

}  // namespace aapc::lattice
