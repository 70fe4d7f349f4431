/// @file
/// What an all-to-all puts on the links of a torus.
#pragma once

#include <cstdint>
#include <vector>

#include "aapc/topology/network.hpp"
#include "aapc/topology/placement.hpp"
#include "aapc/topology/torus.hpp"

namespace aapc {

/// By directed link: how many messages cross it if every rank sends one to every other, each by its route
/// (aapc/topology/torus.hpp). O(dimensions · (machines + participants)).
[[nodiscard]] std::vector<std::int64_t> torus_loads(const Network& network, const Placement& placement,
                                                    const TorusWiring& wiring);

}  // namespace aapc
