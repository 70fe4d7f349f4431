#include "topology/clusters_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "aapc/input/units.hpp"
#include "aapc/topology/clusters.hpp"
#include "input/wording.hpp"

namespace aapc {

namespace {

constexpr std::array<std::string_view, 4> clusters_root_keys{"network", "wide_area", "cluster", "switch"};
constexpr std::array<std::string_view, 4> clusters_network_keys{"kind", "speed", "buffer", "mtu"};
constexpr std::array<std::string_view, 4> wide_area_keys{"name", "speed", "latency", "buffer"};
constexpr std::array<std::string_view, 8> cluster_keys{"name",   "speed",         "machines",       "machine_speed",
                                                       "buffer", "uplink_buffer", "machine_buffer", "uplink_links"};

constexpr std::string_view usual_name = "wide-area";

class ClustersReader {
  public:
    explicit ClustersReader(TopologyTables& tables) : tables_(tables) {}

    Expected<Network> read(const toml::table& root) {
        if (const toml::table* network = tables_.network_at(root, clusters_root_keys, clusters_network_keys)) {
            tree_.speed = tables_.speed_at(*network, "speed");
            tree_.buffer = tables_.buffer_at(*network, "buffer");
            tree_.mtu_bytes = tables_.mtu_at(*network);
        }
        read_wide_area(root);
        for (const toml::table* table : tables_.required_tables(root, "cluster", "clusters")) {
            read_cluster(*table);
        }
        if (const toml::node* switches = root.get("switch")) {
            for (const toml::table* table : tables_.tables_of(*switches, "switch", "switches")) {
                read_switch(*table);
            }
        }
        if (const auto complaint = tables_.complaint()) {
            return failure(*complaint);
        }
        // TOML keeps [[cluster]]s and [[switch]]es apart; the order of ranks is that of the file.
        std::stable_sort(std::next(tree_.switches.begin()), tree_.switches.end(),
                         [](const auto& left, const auto& right) { return left.position < right.position; });
        return connect(tree_, tables_.file());
    }

  private:
    void read_wide_area(const toml::table& root) {
        DeclaredSwitch wide_area;
        wide_area.what = "wide area";
        wide_area.name.name = usual_name;
        const toml::table* table = tables_.table_at(root, "wide_area");
        if (table != nullptr) {
            tables_.check_keys(*table, "in [wide_area]", wide_area_keys);
            wide_area.position = tables_.position(*table);
            wide_area.name.position = wide_area.position;
            if (table->contains("name")) {
                wide_area.name = tables_.name_at(*table, "wide area");
            }
            wide_area_speed_ = tables_.speed_at(*table, "speed");
            wide_area.buffer = tables_.buffer_at(*table, "buffer");
            latency_seconds_ = tables_.duration_at(*table, "latency").value_or(latency_seconds_);
        }
        if (!wide_area_speed_) {
            wide_area_speed_ = tree_.speed;
        }
        if (!wide_area_speed_) {
            tables_.add_absence(wide_area.position, "the wide area has no speed",
                                "add [wide_area] with a speed, as in speed = \"10Gbit\"");
        }
        // The same card serves both, so that nothing inside a cluster is known to be slower.
        tree_.speed = tree_.speed ? tree_.speed : wide_area_speed_;
        tree_.kind = NetworkKind::clusters;
        tree_.switches.push_back(std::move(wide_area));
    }

    void read_cluster(const toml::table& table) {
        tables_.check_keys(table, "in [[cluster]]", cluster_keys);
        DeclaredSwitch cluster;
        cluster.what = "cluster";
        cluster.position = tables_.position(table);
        cluster.name = tables_.name_at(table, "cluster");
        cluster.uplink = wide_area().name;
        const auto speed = tables_.speed_at(table, "speed");
        cluster.speed = speed ? speed : wide_area_speed_;
        cluster.latency_seconds = latency_seconds_ / 2;  // a message crosses the links of two clusters
        tables_.read_ports(table, cluster);
        cluster.machines = tables_.machines_at(table);
        tree_.switches.push_back(std::move(cluster));
    }

    void read_switch(const toml::table& table) {
        DeclaredSwitch declaration = tables_.read_switch(table);
        if (!declaration.uplink && !table.contains("uplink")) {
            tables_.add_absence(declaration.position, "a switch of no cluster",
                                "add uplink = \"NAME\", the cluster or the switch that it is plugged into");
        } else if (declaration.uplink && declaration.uplink->name == wide_area().name.name) {
            tables_.add_mistake(declaration.uplink->position,
                                fmt::format("uplink {} is the wide area", in_quotes(declaration.uplink->name)),
                                "name a cluster or one of its switches, or write [[cluster]] instead of [[switch]]");
        }
        tree_.switches.push_back(std::move(declaration));
    }

    [[nodiscard]] const DeclaredSwitch& wide_area() const { return tree_.switches.front(); }

    TopologyTables& tables_;
    DeclaredTree tree_;
    std::optional<double> wide_area_speed_;
    double latency_seconds_ = 0;  ///< from any cluster to any other
};

}  // namespace

Expected<Network> read_clusters(const toml::table& root, TopologyTables& tables) {
    return ClustersReader(tables).read(root);
}

Clusters find_clusters(const Network& network) {
    Clusters clusters;
    std::vector<Cluster> cluster_of_vertex(network.vertices().size(), -1);
    std::vector<Vertex> reached;
    for (const std::int32_t link : network.links_at(0)) {
        const auto cluster = static_cast<Cluster>(clusters.switch_of.size());
        clusters.switch_of.push_back(network.other_end(link, 0));
        cluster_of_vertex[static_cast<std::size_t>(clusters.switch_of.back())] = cluster;
        reached.push_back(clusters.switch_of.back());
    }
    for (std::size_t next = 0; next < reached.size(); ++next) {
        const Vertex vertex = reached[next];
        for (const std::int32_t link : network.links_at(vertex)) {
            const Vertex end = network.other_end(link, vertex);
            Cluster& cluster = cluster_of_vertex[static_cast<std::size_t>(end)];
            if (end != 0 && cluster < 0) {
                cluster = cluster_of_vertex[static_cast<std::size_t>(vertex)];
                reached.push_back(end);
            }
        }
    }
    clusters.machines_of.resize(clusters.switch_of.size(), 0);
    for (const NetworkMachine& machine : network.machines()) {
        clusters.cluster_of.push_back(cluster_of_vertex[static_cast<std::size_t>(machine.vertex)]);
        ++clusters.machines_of[static_cast<std::size_t>(clusters.cluster_of.back())];
    }
    return clusters;
}

std::vector<std::vector<Rank>> ranks_by_cluster(const Network& network, const Placement& placement) {
    const Clusters clusters = find_clusters(network);
    std::vector<std::vector<Rank>> ranks(clusters.switch_of.size());
    for (Rank rank = 0; rank < placement.participants(); ++rank) {
        const Machine machine = placement.machine_of[static_cast<std::size_t>(rank)];
        const Cluster cluster = clusters.cluster_of[static_cast<std::size_t>(machine)];
        ranks[static_cast<std::size_t>(cluster)].push_back(rank);
    }
    std::erase_if(ranks, [](const std::vector<Rank>& of_cluster) { return of_cluster.empty(); });
    return ranks;
}

double wide_area_latency_seconds(const Network& network, Cluster from, Cluster to) {
    const auto latency = [&](Cluster cluster) {
        const std::int32_t link = network.links_at(0)[static_cast<std::size_t>(cluster)];
        return network.links()[static_cast<std::size_t>(link)].latency_seconds;
    };
    return latency(from) + latency(to);
}

}  // namespace aapc
