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

/// The positions of the participants, or a diagnostic if a machine of theirs cannot be reached from vertex 0.
/// O(vertices · log vertices + participants).
[[nodiscard]] Expected<Positions> place_ranks(const Network& network, const Placement& placement,
                                              FabricOrder order = FabricOrder::depth_first);

}  // namespace aapc::lattice
