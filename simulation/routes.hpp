/// @file
/// The way of a message through a network.
#pragma once

#include <optional>
#include <vector>

#include "aapc/input/diagnostic.hpp"
#include "aapc/topology/network.hpp"
#include "aapc/topology/torus.hpp"

namespace aapc::simulation {

/// Routes of any kind of network. Those of trees are found here, as by whoever checks a schedule, without the tables of
/// the algorithms.
class Routes {
  public:
    /// Fails if `network`, which must outlive the routes, is not what it says it is.
    [[nodiscard]] static Expected<Routes> find(const Network& network);

    /// Appends the directed links between two machines, in order. O(links on the way).
    void append(Machine from, Machine to, std::vector<DirectedLink>& route) const;

  private:
    explicit Routes(const Network& network) : network_(&network) {}
    [[nodiscard]] bool hang_from_root();
    void append_through_tree(Vertex from, Vertex to, std::vector<DirectedLink>& route) const;

    const Network* network_;
    std::optional<TorusWiring> torus_;
    std::vector<std::int32_t> link_to_root_;  ///< by vertex; -1: the root. Trees only
    std::vector<std::int32_t> depth_;         ///< by vertex; -1: not reached
};

}  // namespace aapc::simulation
