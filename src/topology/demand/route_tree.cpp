#include "aapc/topology/route_tree.hpp"

#include <cstddef>
#include <optional>

#include "aapc/topology/fabric.hpp"
#include "aapc/topology/torus.hpp"
#include "topology/demand/load_shares.hpp"

namespace aapc {

namespace {

using demand::index;

/// Vertices in the order in which messages reach them, each with the one before it on its way.
struct Reached {
    std::vector<Vertex> order;     ///< the rank's own first
    std::vector<Vertex> from;      ///< by vertex; -1: not reached, or the first
    std::vector<bool> is_reached;  ///< by vertex

    Reached(const Network& network, Vertex first)
        : order{first}, from(network.vertices().size(), -1), is_reached(network.vertices().size(), false) {
        is_reached[index(first)] = true;
    }
    void add(Vertex vertex, Vertex before) {
        if (!is_reached[index(vertex)]) {
            is_reached[index(vertex)] = true;
            from[index(vertex)] = before;
            order.push_back(vertex);
        }
    }
};

void reach_in_tree(const Network& network, Reached& reached) {
    for (std::size_t next = 0; next < reached.order.size(); ++next) {
        const Vertex here = reached.order[next];
        for (const std::int32_t link : network.links_at(here)) {
            reached.add(network.other_end(link, here), here);
        }
    }
}

void reach_in_torus(const Network& network, Machine own, Reached& reached) {
    const std::optional<TorusWiring> wiring = TorusWiring::find(network);
    std::vector<DirectedLink> route;
    for (std::size_t machine = 0; wiring && machine < network.machines().size(); ++machine) {
        route.clear();
        wiring->append_route(own, static_cast<Machine>(machine), route);
        Vertex here = reached.order.front();
        for (const DirectedLink link : route) {
            const Vertex next = network.other_end(link / 2, here);
            reached.add(next, here);
            here = next;
        }
    }
}

}  // namespace

RouteTree route_tree(const Network& network, const Placement& placement, Rank rank) {
    if (network.kind() == NetworkKind::fabric) {
        return route_tree(tree_of_cuts(network), placement, rank);
    }
    const auto machine_of = [&](Rank other) { return placement.machine_of[index(other)]; };
    const auto vertex_of = [&](Rank other) { return network.machines()[index(machine_of(other))].vertex; };
    Reached reached(network, vertex_of(rank));
    if (is_tree(network.kind())) {
        reach_in_tree(network, reached);
    } else {
        reach_in_torus(network, machine_of(rank), reached);
    }
    // A group for each vertex that has other ranks behind it than the one before it.
    std::vector<std::int32_t> ranks(network.vertices().size(), 0);
    for (Rank other = 0; other < placement.participants(); ++other) {
        ++ranks[index(vertex_of(other))];
    }
    for (std::size_t place = reached.order.size(); place-- > 1;) {
        const Vertex vertex = reached.order[place];
        ranks[index(reached.from[index(vertex)])] += ranks[index(vertex)];
    }
    RouteTree tree;
    tree.parent.push_back(-1);
    std::vector<std::int32_t> group(network.vertices().size(), 0);
    for (std::size_t place = 1; place < reached.order.size(); ++place) {
        const Vertex vertex = reached.order[place];
        const Vertex before = reached.from[index(vertex)];
        group[index(vertex)] = group[index(before)];
        const bool is_behind_own_port = is_tree(network.kind()) && before == reached.order.front();
        if (!is_behind_own_port && ranks[index(vertex)] > 0 && ranks[index(vertex)] < ranks[index(before)]) {
            group[index(vertex)] = static_cast<std::int32_t>(tree.parent.size());
            tree.parent.push_back(group[index(before)]);
        }
    }
    for (Rank other = 0; other < placement.participants(); ++other) {
        tree.group_of.push_back(group[index(vertex_of(other))]);
    }
    return tree;
}

}  // namespace aapc
