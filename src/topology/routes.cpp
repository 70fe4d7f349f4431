#include "aapc/topology/routes.hpp"

#include <cstddef>
#include <utility>

#include "topology/fabric_links.hpp"

namespace aapc {

using fabrics::index;

Expected<Routes> Routes::find(const Network& network) {
    Routes routes;
    if (network.kind() == NetworkKind::fabric) {
        Expected<FabricRoutes> found = FabricRoutes::find(network);
        if (!found) {
            return failure(found.error());
        }
        routes.fabric_ = std::move(*found);
        return routes;
    }
    if (network.kind() != NetworkKind::torus) {
        routes.climb(network);
        return routes;
    }
    routes.torus_ = TorusWiring::find(network);
    if (!routes.torus_) {
        return failure("the links of the network form no torus", "connect the machines in rings");
    }
    return routes;
}

void Routes::climb(const Network& network) {
    for (const NetworkMachine& machine : network.machines()) {
        vertex_of_.push_back(machine.vertex);
    }
    parent_.assign(network.vertices().size(), -1);
    up_.assign(parent_.size(), -1);
    depth_.assign(parent_.size(), 0);
    std::vector<Vertex> order{0};
    for (std::size_t next = 0; next < order.size(); ++next) {
        const Vertex vertex = order[next];
        for (const std::int32_t link : network.links_at(vertex)) {
            const Vertex end = network.other_end(link, vertex);
            if (end != parent_[index(vertex)]) {
                const bool lower_first = network.links()[index(link)].lower == end;
                parent_[index(end)] = vertex;
                depth_[index(end)] = depth_[index(vertex)] + 1;
                up_[index(end)] = 2 * link + (lower_first ? 0 : 1);
                order.push_back(end);
            }
        }
    }
}

void Routes::append(Machine from, Machine to, std::vector<DirectedLink>& route) const {
    if (torus_) {
        torus_->append_route(from, to, route);
        return;
    }
    if (fabric_) {
        fabric_->append(from, to, connection_key(0, from, to), route);
        return;
    }
    Vertex lower = vertex_of_[index(from)];
    Vertex other = vertex_of_[index(to)];
    while (lower != other) {
        if (depth_[index(lower)] >= depth_[index(other)]) {
            route.push_back(up_[index(lower)]);
            lower = parent_[index(lower)];
        } else {
            route.push_back(up_[index(other)] ^ 1);
            other = parent_[index(other)];
        }
    }
}

}  // namespace aapc
