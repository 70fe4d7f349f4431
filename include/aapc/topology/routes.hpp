/// @file
/// The way that a message takes through a network.
#pragma once

#include <optional>
#include <vector>

#include "aapc/input/diagnostic.hpp"
#include "aapc/topology/fabric.hpp"
#include "aapc/topology/network.hpp"
#include "aapc/topology/torus.hpp"

namespace aapc {

/// The routes between the machines of a network: the only ones in a tree, those of TorusWiring in a torus, those of
/// FabricRoutes in a fabric (with hashed or sprayed paths, those of draw 0). The checker has routes of its own.
class Routes {
  public:
    /// A diagnostic, without a file, for a network that says it is a torus or a fabric and is none. O(vertices +
    /// links); of a fabric as FabricRoutes::find().
    [[nodiscard]] static Expected<Routes> find(const Network& network);

    /// Appends the directed links of the route between two machines, in no particular order; none within a machine.
    /// O(route length).
    void append(Machine from, Machine to, std::vector<DirectedLink>& route) const;

  private:
    Routes() = default;
    void climb(const Network& network);

    std::optional<TorusWiring> torus_;
    std::optional<FabricRoutes> fabric_;
    // Of a tree, climbing towards vertex 0:
    std::vector<Vertex> vertex_of_;  ///< by machine
    std::vector<Vertex> parent_;
    std::vector<DirectedLink> up_;  ///< the directed link from a vertex to its parent
    std::vector<std::int32_t> depth_;
};

}  // namespace aapc
