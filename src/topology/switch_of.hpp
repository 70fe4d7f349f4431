/// @file
/// Which switch a machine is plugged into.
#pragma once

#include <cstddef>

#include "aapc/topology/network.hpp"

namespace aapc {

/// The other end of the machine's first link; the machine's own vertex where it hangs from nothing. O(1).
[[nodiscard]] inline Vertex switch_of(const Network& network, Machine machine) {
    const Vertex vertex = network.machines()[static_cast<std::size_t>(machine)].vertex;
    const auto& links = network.links_at(vertex);
    return links.empty() ? vertex : network.other_end(links.front(), vertex);
}

}  // namespace aapc
