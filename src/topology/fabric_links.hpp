/// @file
/// Small things that all files about fabrics need.
#pragma once

#include <cstddef>

#include "aapc/topology/network.hpp"

namespace aapc::fabrics {

[[nodiscard]] inline std::size_t index(std::int32_t value) { return static_cast<std::size_t>(value); }

/// Where a directed link leads.
[[nodiscard]] inline Vertex head(const Network& network, DirectedLink link) {
    const Link& cable = network.links()[index(link / 2)];
    return link % 2 == 0 ? cable.upper : cable.lower;
}

/// The direction of a link that leads away from one of its ends.
[[nodiscard]] inline DirectedLink leaving(const Network& network, std::int32_t link, Vertex at) {
    return 2 * link + (network.links()[index(link)].lower == at ? 0 : 1);
}

}  // namespace aapc::fabrics
