#include "offline/models/link_costs.hpp"

#include <algorithm>
#include <utility>

#include "aapc/topology/bound.hpp"
#include "aapc/topology/clusters.hpp"

namespace aapc {

namespace {

/// By measurement, gamma for a byte of each of n-1 messages; by the bound, what the busiest link carries. Their ratio
/// is what contention itself costs, apart from the wires.
double contention_factor(const ContentionFit& fit, const Bound& bound, Rank ranks) {
    const double beta = fit.link.beta_seconds_per_byte;
    const double measured = fit.gamma.value * beta * (ranks - 1);
    const double messages = bound.slowest_bits_per_second > 0
                                ? bound.seconds_per_byte * bound.slowest_bits_per_second / 8
                                : static_cast<double>(bound.messages);
    const double at_the_bound = messages * beta;
    return at_the_bound > 0 ? std::max(1.0, measured / at_the_bound) : 1.0;
}

Part part_of(const ContentionFit& fit, const Network& network, const Placement& own) {
    const Bound bound = network_bound(network, own);
    return {fit, own.participants(), bound.slowest_bits_per_second, contention_factor(fit, bound, own.participants())};
}

}  // namespace

LinkCosts::LinkCosts(const Network& network, const Placement& placement, const NetworkModel& model)
    : network_(network), part_of_rank_(placement.machine_of.size(), 0), part_of_link_(network.links().size(), 0) {
    if (network.kind() == NetworkKind::clusters) {
        add_clusters(placement, model);
    } else {
        parts_.push_back(part_of(model.clusters.front().fit, network, placement));
    }
}

double LinkCosts::longest_start_up_seconds() const {
    double longest = parts_.size() > 1 ? wide_area_.alpha_seconds : 0;
    for (const Part& part : parts_) {
        longest = std::max(longest, part.fit.link.alpha_seconds);
    }
    return longest;
}

double LinkCosts::slowness() const {
    double slowest = 1;
    for (const Part& part : parts_) {
        slowest = std::max(slowest, part.fit.link.beta_seconds_per_byte * part.slowest_bits_per_second / 8);
    }
    return slowest;
}

double LinkCosts::seconds_per_byte(std::size_t link) const {
    const Part* part = part_of_link(link);
    const double beta = part != nullptr ? part->fit.link.beta_seconds_per_byte : wide_area_.beta_seconds_per_byte;
    const double slowest = part != nullptr ? part->slowest_bits_per_second : slowest_of_wide_area_;
    const double speed = network_.links()[link].bits_per_second;
    return slowest > 0 && speed > 0 ? beta * slowest / speed : beta;
}

void LinkCosts::add_clusters(const Placement& placement, const NetworkModel& model) {
    const GridModel grid = grid_model_of(model, network_, placement);
    wide_area_ = grid.wide_area;
    const Clusters clusters = find_clusters(network_);
    part_of_link_.assign(network_.links().size(), beyond_all_parts);
    const auto groups = ranks_by_cluster(network_, placement);
    for (std::size_t group = 0; group < groups.size(); ++group) {
        for (const Rank rank : groups[group]) {
            part_of_rank_[static_cast<std::size_t>(rank)] = group;
        }
        const Placement own = placement_of(groups[group], placement);
        parts_.push_back(part_of(grid.clusters[group].local, network_, own));
        const auto cluster =
            static_cast<std::size_t>(clusters.cluster_of[static_cast<std::size_t>(own.machine_of.front())]);
        mark_links_below(clusters.switch_of[cluster], group);
    }
    // One message goes as fast as the slowest link on its way lets it.
    for (const std::int32_t link : network_.links_at(0)) {
        slow_down_wide_area(network_.links()[static_cast<std::size_t>(link)].bits_per_second);
    }
    for (const Part& part : parts_) {
        slow_down_wide_area(part.slowest_bits_per_second);
    }
}

void LinkCosts::slow_down_wide_area(double bits_per_second) {
    const bool slower = slowest_of_wide_area_ <= 0 || bits_per_second < slowest_of_wide_area_;
    if (bits_per_second > 0 && slower) {
        slowest_of_wide_area_ = bits_per_second;
    }
}

void LinkCosts::mark_links_below(Vertex top, std::size_t part) {
    std::vector<std::pair<Vertex, Vertex>> open = {{top, 0}};
    while (!open.empty()) {
        const auto [vertex, above] = open.back();
        open.pop_back();
        for (const std::int32_t link : network_.links_at(vertex)) {
            const Vertex below = network_.other_end(link, vertex);
            if (below != above) {
                part_of_link_[static_cast<std::size_t>(link)] = part;
                open.emplace_back(below, vertex);
            }
        }
    }
}

}  // namespace aapc
