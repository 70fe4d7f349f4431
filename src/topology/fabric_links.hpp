/// @file
/// Small things that all files about fabrics need.
#pragma once

#include <cstddef>

#include "aapc/topology/network.hpp"
#include "topology/listing.hpp"

namespace aapc::fabrics {

using listing::index;

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
