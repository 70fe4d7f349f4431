/// @file
/// Which ranks make up a node, and whether nodes that exchange at the same time can get in each other's way.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "aapc/topology/network.hpp"
#include "aapc/topology/placement.hpp"
#include "algorithms/factor/step_formula.hpp"

namespace aapc::factor {

/// The ranks of a placement grouped into nodes. Nodes are numbered by their lowest rank, the ranks of a node ascend.
struct Nodes {
    std::vector<std::vector<Rank>> ranks_of;  ///< by node
    std::vector<Seat> seat_of;                ///< by rank

    [[nodiscard]] std::vector<std::int32_t> sizes() const;
};

/// As many nodes a machine as it has ranks.
inline constexpr std::int32_t every_rank = std::numeric_limits<std::int32_t>::max();

/// The ranks of every machine in `nodes_per_machine` groups of about equal size, fewer where it has fewer ranks.
/// O(machines + participants · log participants).
[[nodiscard]] Nodes place_ranks(const Placement& placement, std::int32_t nodes_per_machine);

/// Whether messages u→v and w→x use different links whenever they are between machines and no two of the machines that
/// send, and no two of those that receive, are the same. So it is if every link that messages cross has one taking part
/// machine alone on one of its sides. Known only for trees; false for other networks. O(vertices + participants).
[[nodiscard]] bool machines_never_meet(const Network& network, const Placement& placement);

/// For every machine the vertex that it hangs from, its own if it hangs from none.
[[nodiscard]] std::vector<Vertex> switch_of_machine(const Network& network);

}  // namespace aapc::factor
