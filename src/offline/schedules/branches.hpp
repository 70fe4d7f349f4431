/// @file
/// The branches that the columns of the schedule table stand for.
#pragma once

#include <vector>

#include "aapc/topology/network.hpp"
#include "aapc/topology/placement.hpp"

namespace aapc::documents {

/// The participants in groups, as the papers group them: the branches of a vertex of the tree none of whose branches
/// holds more than half of all participants (2005, section 4.1). Of several such vertices, it is the first with three
/// branches or more, or else the first; src/algorithms/tree chooses alike, so that the table shows what its schedules
/// are made of. Branches without participants are left out; the largest comes first, ties by lowest rank; ranks ascend.
/// Empty if the network is no tree or there is no participant. O(vertices + participants · log participants).
[[nodiscard]] std::vector<std::vector<Rank>> balanced_branches(const Network& network, const Placement& placement);

}  // namespace aapc::documents
