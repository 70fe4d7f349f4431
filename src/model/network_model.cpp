#include "aapc/network_model.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "aapc/clusters.hpp"

namespace aapc {

namespace {

/// Fewer ranks send no two messages at once, so that nothing contends.
constexpr std::size_t fewest_that_contend = 3;

std::string cluster_name(const Network& network, const Clusters& clusters, Rank some_rank, const Demand& demand) {
    const auto machine = static_cast<std::size_t>(demand.machine_of[static_cast<std::size_t>(some_rank)]);
    const Vertex top = clusters.switch_of[static_cast<std::size_t>(clusters.cluster_of[machine])];
    return network.vertices()[static_cast<std::size_t>(top)].name;
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

Expected<void> check_model_is_for(const NetworkModel& model, const Network& network, const Demand& demand) {
    if (model.clusters.empty()) {
        return failure({"", 0, 0, "the model holds no contention signature", "give what aapc fit wrote"});
    }
    if (network.kind() != NetworkKind::clusters) {
        if (model.clusters.size() > 1) {
            return failure({"", 0, 0,
                            fmt::format("the model is of {} clusters, the topology is a {}", model.clusters.size(),
                                        to_string(network.kind())),
                            "give a model that was measured on this network"});
        }
        return {};
    }
    if (!model.wide_area) {
        return failure({"", 0, 0, "the model does not say what a message costs across the wide area",
                        "measure with aapc fit --topology on the clusters, or give --wide-area"});
    }
    const Clusters clusters = find_clusters(network);
    for (const std::vector<Rank>& ranks : ranks_by_cluster(network, demand)) {
        const std::string name = cluster_name(network, clusters, ranks.front(), demand);
        if (ranks.size() >= fewest_that_contend && find_fit(model, name) == nullptr) {
            return failure({"", 0, 0, fmt::format("the model has no signature of the cluster '{}'", name),
                            fmt::format("give one with --model {}=FILE", name)});
        }
    }
    return {};
}

GridModel grid_model_of(const NetworkModel& model, const Network& network, const Demand& demand) {
    GridModel grid;
    grid.wide_area = model.wide_area->link;
    const Clusters clusters = find_clusters(network);
    for (const std::vector<Rank>& ranks : ranks_by_cluster(network, demand)) {
        const ContentionFit* fit = find_fit(model, cluster_name(network, clusters, ranks.front(), demand));
        // Whose ranks do not contend has no signature of its own.
        grid.clusters.push_back({static_cast<Rank>(ranks.size()), fit != nullptr ? *fit : model.clusters.front().fit});
    }
    return grid;
}

}  // namespace aapc
