#include "routes.hpp"

#include <algorithm>
#include <utility>

namespace aapc::simulation {

namespace {

std::size_t index(std::int32_t number) { return static_cast<std::size_t>(number); }

}  // namespace

Expected<Routes> Routes::find(const Network& network) {
    Routes routes(network);
    if (is_tree(network.kind())) {
        if (!routes.hang_from_root()) {
            return failure("the network is no tree", "plug every switch into one other, without a circle");
        }
        return routes;
    }
    routes.torus_ = TorusWiring::find(network);
    if (!routes.torus_) {
        return failure("the network is no torus", "join the machines of every row and column in a ring");
    }
    return routes;
}

/// Breadth first from vertex 0; false if the graph is no tree.
bool Routes::hang_from_root() {
    const std::size_t vertices = network_->vertices().size();
    if (network_->links().size() + 1 != vertices) {
        return false;
    }
    link_to_root_.assign(vertices, -1);
    depth_.assign(vertices, -1);
    depth_[0] = 0;
    std::vector<Vertex> reached{0};
    for (std::size_t next = 0; next < reached.size(); ++next) {
        const Vertex vertex = reached[next];
        for (const std::int32_t link : network_->links_at(vertex)) {
            const Vertex other = network_->other_end(link, vertex);
            if (depth_[index(other)] < 0) {
                depth_[index(other)] = depth_[index(vertex)] + 1;
                link_to_root_[index(other)] = link;
                reached.push_back(other);
            }
        }
    }
    return reached.size() == vertices;
}

void Routes::append(Machine from, Machine to, std::vector<DirectedLink>& route) const {
    if (torus_) {
        torus_->append_route(from, to, route);
    } else {
        append_through_tree(network_->machines()[index(from)].vertex, network_->machines()[index(to)].vertex, route);
    }
}

void Routes::append_through_tree(Vertex from, Vertex to, std::vector<DirectedLink>& route) const {
    const auto leaving = [this](std::int32_t link, Vertex end) {
        return 2 * link + (network_->links()[index(link)].lower == end ? 0 : 1);
    };
    std::vector<DirectedLink> down;
    while (from != to) {
        if (depth_[index(from)] >= depth_[index(to)]) {
            const std::int32_t link = link_to_root_[index(from)];
            route.push_back(leaving(link, from));
            from = network_->other_end(link, from);
        } else {
            const std::int32_t link = link_to_root_[index(to)];
            to = network_->other_end(link, to);
            down.push_back(leaving(link, to));
        }
    }
    route.insert(route.end(), down.rbegin(), down.rend());
}

}  // namespace aapc::simulation
