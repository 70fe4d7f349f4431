/// @file
/// What a search may expect of methods on a network that has been measured.
#pragma once

#include <vector>

#include "aapc/methods/method.hpp"
#include "aapc/offline/network_model.hpp"
#include "aapc/offline/search.hpp"
#include "aapc/topology/network.hpp"
#include "aapc/topology/placement.hpp"

namespace aapc {

/// For a search on this network: the model's time for each candidate, and for those it cannot tell anything of the
/// longest time of all the others. Pure; keeps what it works out. O(candidates) times MethodModel::create().
[[nodiscard]] ExpectedSeconds expected_by_model(const Network& network, const Placement& placement,
                                                const std::vector<Method>& candidates, const NetworkModel& model);

}  // namespace aapc
