#include "aapc/offline/network_model.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "aapc/plan/pacing.hpp"
#include "aapc/topology/clusters.hpp"

namespace aapc {

namespace {

/// Fewer ranks send no two messages at once, so that nothing contends.
constexpr std::size_t fewest_that_contend = 3;

Cluster cluster_of_rank(const Clusters& clusters, Rank rank, const Placement& placement) {
    return clusters.cluster_of[static_cast<std::size_t>(placement.machine_of[static_cast<std::size_t>(rank)])];
}

std::string cluster_name(const Network& network, const Clusters& clusters, Rank some_rank, const Placement& placement) {
    const Cluster cluster = cluster_of_rank(clusters, some_rank, placement);
    return network.vertices()[static_cast<std::size_t>(clusters.switch_of[static_cast<std::size_t>(cluster)])].name;
}

/// Of a cluster's link to the wide area as declared, for long messages both ways under TCP.
double uplink_seconds_per_byte(const Network& network, Cluster cluster) {
    const std::int32_t link = network.links_at(0)[static_cast<std::size_t>(cluster)];
    const double bits_per_second = network.links()[static_cast<std::size_t>(link)].bits_per_second;
    constexpr std::int64_t long_message = 1 << 20;
    const double overhead = static_cast<double>(wire_bytes(long_message)) / static_cast<double>(long_message);
    return bits_per_second > 0 ? 8 / bits_per_second * overhead : 0;
}

}  // namespace

const ContentionFit* find_fit(const NetworkModel& model, std::string_view cluster) {
    const MeasuredCluster* of_all = nullptr;
    for (const MeasuredCluster& measured : model.clusters) {
        if (measured.name == cluster) {
            return &measured.fit;
        }
        of_all = measured.name.empty() ? &measured : of_all;
    }
    return of_all != nullptr ? &of_all->fit : nullptr;
}

Expected<void> check_model_is_for(const NetworkModel& model, const Network& network, const Placement& placement) {
    if (model.clusters.empty()) {
        return failure("the model holds no contention signature", "give what aapc fit wrote");
    }
    if (network.kind() != NetworkKind::clusters) {
        if (model.clusters.size() > 1) {
            return failure(fmt::format("the model is of {} clusters, the topology is a {}", model.clusters.size(),
                                       to_string(network.kind())),
                           "give a model that was measured on this network");
        }
        return {};
    }
    if (!model.wide_area) {
        return failure("the model does not say what a message costs across the wide area",
                       "measure with aapc fit --topology on the clusters, or give --wide-area");
    }
    const Clusters clusters = find_clusters(network);
    for (const std::vector<Rank>& ranks : ranks_by_cluster(network, placement)) {
        const std::string name = cluster_name(network, clusters, ranks.front(), placement);
        if (ranks.size() >= fewest_that_contend && find_fit(model, name) == nullptr) {
            return failure(fmt::format("the model has no signature of the cluster '{}'", name),
                           fmt::format("give one with --model {}=FILE", name));
        }
    }
    return {};
}

GridModel grid_model_of(const NetworkModel& model, const Network& network, const Placement& placement) {
    GridModel grid;
    grid.wide_area = model.wide_area->link;
    const Clusters clusters = find_clusters(network);
    for (const std::vector<Rank>& ranks : ranks_by_cluster(network, placement)) {
        const ContentionFit* fit = find_fit(model, cluster_name(network, clusters, ranks.front(), placement));
        // Whose ranks do not contend has no signature of its own.
        grid.clusters.push_back(
            {static_cast<Rank>(ranks.size()), fit != nullptr ? *fit : model.clusters.front().fit,
             uplink_seconds_per_byte(network, cluster_of_rank(clusters, ranks.front(), placement))});
    }
    return grid;
}

}  // namespace aapc
