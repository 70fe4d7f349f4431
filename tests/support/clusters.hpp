/// @file
/// Clusters for tests: by their sizes, and random ones that a seed repeats.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "aapc/timetable/timetable.hpp"
#include "aapc/topology/clusters.hpp"
#include "aapc/topology/network.hpp"
#include "aapc/topology/placement.hpp"

namespace aapc::test {

/// A switch of a cluster.
struct ClusterSwitch {
    int uplink = -1;              ///< another switch of the cluster, before it; -1: it is the topmost
    std::vector<int> machines{};  ///< the ranks of each
};

/// Switches by cluster, the topmost first.
using ClusterSwitches = std::vector<std::vector<ClusterSwitch>>;

inline Network clusters_network(const ClusterSwitches& clusters) {
    std::vector<NetworkVertex> vertices{{"wide-area", true}};
    for (std::size_t cluster = 0; cluster < clusters.size(); ++cluster) {
        for (std::size_t index = 0; index < clusters[cluster].size(); ++index) {
            vertices.push_back({fmt::format("c{}s{}", cluster, index), true});
        }
    }
    std::vector<Link> links;
    std::vector<NetworkMachine> machines;
    Vertex next = 1;
    for (const std::vector<ClusterSwitch>& switches : clusters) {
        const Vertex topmost = next;
        for (const ClusterSwitch& here : switches) {
            const Vertex vertex = next++;
            links.push_back({vertex, here.uplink < 0 ? 0 : topmost + here.uplink, 1e8, here.uplink < 0 ? 2.5e-3 : 0});
            for (const int ranks : here.machines) {
                const auto leaf = static_cast<Vertex>(vertices.size());
                vertices.push_back({fmt::format("n{}", machines.size()), false});
                links.push_back({leaf, vertex, 1e8});
                machines.push_back({leaf, ranks});
            }
        }
    }
    return {NetworkKind::clusters, std::move(vertices), std::move(links), std::move(machines)};
}

/// Clusters of one switch each, with so many machines of one rank.
inline Network clusters_of(const std::vector<int>& sizes) {
    ClusterSwitches clusters;
    for (const int size : sizes) {
        clusters.push_back({{-1, std::vector<int>(static_cast<std::size_t>(size), 1)}});
    }
    return clusters_network(clusters);
}

/// Up to `most_clusters` clusters of up to `most_machines` machines, in half of the cases with several ranks on some
/// machines, on one switch or several. The same on every platform for the same seed.
inline Network random_clusters(std::uint64_t seed, int most_clusters, int most_machines) {
    std::mt19937_64 random(seed);
    const auto below = [&](int limit) { return static_cast<int>(random() % static_cast<std::uint64_t>(limit)); };
    const bool several_ranks = below(2) == 1;
    ClusterSwitches clusters(static_cast<std::size_t>(1 + below(most_clusters)));
    for (std::vector<ClusterSwitch>& switches : clusters) {
        const int count = 1 + (below(2) == 1 ? below(4) : 0);
        for (int index = 0; index < count; ++index) {
            switches.push_back({index == 0 ? -1 : below(index)});
        }
        for (int machine = below(most_machines); machine >= 0; --machine) {
            switches[static_cast<std::size_t>(below(count))].machines.push_back(
                several_ranks && below(3) == 0 ? 1 + below(4) : 1);
        }
    }
    return clusters_network(clusters);
}

/// What crosses the wide area.
struct WideAreaUse {
    std::int64_t messages = 0;
    std::int64_t blocks = 0;
    std::int64_t phases = 0;  ///< in which something does
};

/// Counted message by message, from the network alone.
inline WideAreaUse count_wide_area_use(const Timetable& timetable, const Network& network, const Placement& placement) {
    const std::vector<Cluster> cluster_of = find_clusters(network).cluster_of;
    const auto cluster = [&](Rank rank) {
        return cluster_of[static_cast<std::size_t>(placement.machine_of[static_cast<std::size_t>(rank)])];
    };
    WideAreaUse use;
    std::set<Phase> phases;
    for (Rank rank = 0; rank < timetable.participants(); ++rank) {
        for (const Transfer& send : timetable.sends_of(rank)) {
            if (cluster(send.from) != cluster(send.to)) {
                std::vector<Block> blocks;
                timetable.append_blocks(send, blocks);
                ++use.messages;
                use.blocks += static_cast<std::int64_t>(blocks.size());
                phases.insert(send.phase);
            }
        }
    }
    use.phases = static_cast<std::int64_t>(phases.size());
    return use;
}

/// How many ranks of the placement are in each cluster that has any.
inline std::vector<std::int64_t> ranks_of_clusters(const Network& network, const Placement& placement) {
    std::vector<std::int64_t> sizes;
    for (const std::vector<Rank>& ranks : ranks_by_cluster(network, placement)) {
        sizes.push_back(static_cast<std::int64_t>(ranks.size()));
    }
    return sizes;
}

/// The messages across the wide area that `local-group` needs: 2·max(n, n') for every pair of clusters.
inline std::int64_t local_group_messages(const std::vector<std::int64_t>& sizes) {
    std::int64_t messages = 0;
    for (std::size_t one = 0; one < sizes.size(); ++one) {
        for (std::size_t other = 0; other < one; ++other) {
            messages += 2 * std::max(sizes[one], sizes[other]);
        }
    }
    return messages;
}

/// The blocks that have to cross the wide area, once each.
inline std::int64_t wide_area_blocks(const std::vector<std::int64_t>& sizes) {
    std::int64_t blocks = 0;
    for (std::size_t one = 0; one < sizes.size(); ++one) {
        for (std::size_t other = 0; other < one; ++other) {
            blocks += 2 * sizes[one] * sizes[other];
        }
    }
    return blocks;
}

}  // namespace aapc::test
