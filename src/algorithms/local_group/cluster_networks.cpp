#include "algorithms/local_group/cluster_networks.hpp"

#include <cstddef>
#include <utility>

#include "aapc/topology/clusters.hpp"

namespace aapc::local_group {

namespace {

constexpr Vertex wide_area = 0;

/// By vertex: its cluster; -1 for the wide area.
std::vector<Cluster> clusters_of_vertices(const Network& network, const Clusters& clusters) {
    std::vector<Cluster> cluster_of(network.vertices().size(), -1);
    std::vector<Vertex> order;
    for (std::size_t cluster = 0; cluster < clusters.switch_of.size(); ++cluster) {
        order.assign(1, clusters.switch_of[cluster]);
        cluster_of[static_cast<std::size_t>(order.front())] = static_cast<Cluster>(cluster);
        for (std::size_t next = 0; next < order.size(); ++next) {
            for (const std::int32_t link : network.links_at(order[next])) {
                const Vertex end = network.other_end(link, order[next]);
                if (end != wide_area && cluster_of[static_cast<std::size_t>(end)] < 0) {
                    cluster_of[static_cast<std::size_t>(end)] = static_cast<Cluster>(cluster);
                    order.push_back(end);
                }
            }
        }
    }
    return cluster_of;
}

/// What a network is made of.
struct Parts {
    std::vector<NetworkVertex> vertices;
    std::vector<Link> links;
    std::vector<NetworkMachine> machines;
};

}  // namespace

Placement ClusterNetworks::placement_of(const std::vector<Rank>& ranks, const Placement& placement) const {
    Placement part;
    part.machine_of.reserve(ranks.size());
    for (const Rank rank : ranks) {
        const Machine machine = placement.machine_of[static_cast<std::size_t>(rank)];
        part.machine_of.push_back(machine_there[static_cast<std::size_t>(machine)]);
    }
    return part;
}

ClusterNetworks split_at_wide_area(const Network& network) {
    const Clusters clusters = find_clusters(network);
    const std::vector<Cluster> cluster_of = clusters_of_vertices(network, clusters);
    std::vector<Parts> parts(clusters.switch_of.size());
    std::vector<Vertex> vertex_there(cluster_of.size(), -1);
    for (std::size_t vertex = 0; vertex < cluster_of.size(); ++vertex) {
        if (cluster_of[vertex] >= 0) {
            Parts& part = parts[static_cast<std::size_t>(cluster_of[vertex])];
            vertex_there[vertex] = static_cast<Vertex>(part.vertices.size());
            part.vertices.push_back({.name = {}, .is_switch = network.vertices()[vertex].is_switch});
        }
    }
    for (Link link : network.links()) {
        const Cluster cluster = cluster_of[static_cast<std::size_t>(link.lower)];
        if (cluster >= 0 && cluster == cluster_of[static_cast<std::size_t>(link.upper)]) {
            link.lower = vertex_there[static_cast<std::size_t>(link.lower)];
            link.upper = vertex_there[static_cast<std::size_t>(link.upper)];
            parts[static_cast<std::size_t>(cluster)].links.push_back(link);
        }
    }
    ClusterNetworks result;
    for (NetworkMachine machine : network.machines()) {
        const auto vertex = static_cast<std::size_t>(machine.vertex);
        Parts& part = parts[static_cast<std::size_t>(cluster_of[vertex])];
        result.machine_there.push_back(static_cast<Machine>(part.machines.size()));
        machine.vertex = vertex_there[vertex];
        part.machines.push_back(machine);
    }
    result.networks.reserve(parts.size());
    for (Parts& part : parts) {
        result.networks.emplace_back(NetworkKind::tree, std::move(part.vertices), std::move(part.links),
                                     std::move(part.machines), network.mtu_bytes());
    }
    return result;
}

}  // namespace aapc::local_group
