#include "aapc/offline/grid_model.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "algorithms/local_group/local_group_formula.hpp"

namespace aapc {

namespace {

using local_group::Exchange;
using local_group::LocalGroupFormula;
using local_group::Member;

/// In exact seconds and in those of a cluster's fit: a + slope·gamma + paying·delta.
struct LocalCost {
    double exact_seconds = 0;
    double slope = 0;    ///< bytes · beta
    double paying = 0;   ///< messages that certainly pay delta
    double perhaps = 0;  ///< messages between the sizes that enclose the threshold
};

void add_message(const ContentionFit& fit, double bytes, LocalCost& cost) {
    cost.exact_seconds += fit.link.alpha_seconds;
    cost.slope += bytes * fit.link.beta_seconds_per_byte;
    if (fit.threshold && bytes >= static_cast<double>(fit.threshold->up_to)) {
        cost.paying += 1;
    } else if (fit.threshold && bytes > static_cast<double>(fit.threshold->above)) {
        cost.perhaps += 1;
    }
}

/// As predict_seconds() does it, for messages that may differ in size.
Estimate seconds_of(const ContentionFit& fit, const LocalCost& cost) {
    const auto with_paying = [&](double paying) {
        const double seconds = cost.exact_seconds + cost.slope * fit.gamma.value + paying * fit.delta.value;
        if (!(seconds > 0)) {
            return Estimate{0, {0, 0, usual_confidence}};  // a cluster of one rank
        }
        const double variance = cost.slope * cost.slope * fit.variance_gamma +
                                2 * cost.slope * paying * fit.covariance + paying * paying * fit.variance_delta;
        const double reach =
            fit.quantile * std::sqrt(variance / (seconds * seconds) + fit.relative_deviation * fit.relative_deviation);
        return Estimate{seconds, {seconds * std::exp(-reach), seconds * std::exp(reach), usual_confidence}};
    };
    Estimate estimate = with_paying(cost.paying);
    if (cost.perhaps > 0) {
        estimate.interval.high = with_paying(cost.paying + cost.perhaps).interval.high;
    }
    return estimate;
}

/// Whichever takes longest, and bounds of the maximum.
void take_maximum(const Estimate& candidate, Estimate& slowest) {
    slowest.value = std::max(slowest.value, candidate.value);
    slowest.interval.low = std::max(slowest.interval.low, candidate.interval.low);
    slowest.interval.high = std::max(slowest.interval.high, candidate.interval.high);
    slowest.interval.level = candidate.interval.level;
}

Estimate slowest_cluster(const GridModel& grid, std::int64_t message_bytes) {
    Estimate slowest;
    for (const ModelledCluster& cluster : grid.clusters) {
        LocalCost cost;
        for (Rank other = 1; other < cluster.ranks; ++other) {
            add_message(cluster.local, static_cast<double>(message_bytes), cost);
        }
        take_maximum(seconds_of(cluster.local, cost), slowest);
    }
    return slowest;
}

Estimate later_by(Estimate estimate, double seconds) {
    estimate.value += seconds;
    estimate.interval.low += seconds;
    estimate.interval.high += seconds;
    return estimate;
}

double wide_area_seconds(const GridModel& grid, double bytes) {
    return grid.wide_area.alpha_seconds + grid.wide_area.beta_seconds_per_byte * bytes;
}

LocalGroupFormula formula_of(const GridModel& grid) {
    std::vector<std::int32_t> sizes;
    sizes.reserve(grid.clusters.size());
    for (const ModelledCluster& cluster : grid.clusters) {
        sizes.push_back(cluster.ranks);
    }
    return LocalGroupFormula(std::move(sizes));
}

/// Calls `visit` with every rank of every cluster.
template <class Visit>
void for_each_member(const LocalGroupFormula& formula, Visit visit) {
    for (std::size_t cluster = 0; cluster < formula.sizes().size(); ++cluster) {
        for (std::int32_t index = 0; index < formula.sizes()[cluster]; ++index) {
            visit(Member{static_cast<Cluster>(cluster), index});
        }
    }
}

/// What crosses the wide area in one phase, in blocks.
struct WideAreaPhase {
    std::int64_t largest = 0;        ///< of one message
    std::vector<std::int64_t> out;   ///< by cluster
    std::vector<std::int64_t> into;  ///< by cluster
};

/// Of each phase; `blocks_of(from, to)` says how many blocks a message has.
template <class BlocksOf>
std::vector<WideAreaPhase> wide_area_phases(const LocalGroupFormula& formula, BlocksOf blocks_of) {
    const std::vector<std::int64_t> none(formula.sizes().size(), 0);
    std::vector<WideAreaPhase> phases(static_cast<std::size_t>(formula.wide_area_phases()), {0, none, none});
    for_each_member(formula, [&](const Member& from) {
        for (const Exchange& exchange : formula.exchanges_of(from)) {
            WideAreaPhase& phase = phases[static_cast<std::size_t>(exchange.phase)];
            const std::int64_t blocks = blocks_of(from, exchange.partner);
            phase.largest = std::max(phase.largest, blocks);
            phase.out[static_cast<std::size_t>(from.cluster)] += blocks;
            phase.into[static_cast<std::size_t>(exchange.partner.cluster)] += blocks;
        }
    });
    return phases;
}

/// Each phase's largest message, alone on its way; or all messages on the busiest cluster's link.
double wide_area_seconds(const GridModel& grid, const std::vector<WideAreaPhase>& phases, std::int64_t message_bytes) {
    const auto bytes = [&](std::int64_t blocks) {
        return static_cast<double>(blocks) * static_cast<double>(message_bytes);
    };
    double seconds = 0;
    for (const WideAreaPhase& phase : phases) {
        double longest = wide_area_seconds(grid, bytes(phase.largest));
        for (std::size_t cluster = 0; cluster < grid.clusters.size(); ++cluster) {
            const double shared = bytes(std::max(phase.out[cluster], phase.into[cluster])) *
                                  grid.clusters[cluster].uplink_seconds_per_byte;
            longest = std::max(longest, grid.wide_area.alpha_seconds + shared);
        }
        seconds += longest;
    }
    return seconds;
}

}  // namespace

Estimate predict_direct_seconds(const GridModel& grid, std::int64_t message_bytes) {
    std::int64_t all = 0;
    Rank smallest = grid.clusters.front().ranks;
    for (const ModelledCluster& cluster : grid.clusters) {
        all += cluster.ranks;
        smallest = std::min(smallest, cluster.ranks);
    }
    const auto most_messages = static_cast<double>(all - smallest);
    double across = most_messages * wide_area_seconds(grid, static_cast<double>(message_bytes));
    for (const ModelledCluster& cluster : grid.clusters) {
        const double blocks = static_cast<double>(cluster.ranks) * static_cast<double>(all - cluster.ranks);
        const double shared = blocks * static_cast<double>(message_bytes) * cluster.uplink_seconds_per_byte;
        across = std::max(across, grid.wide_area.alpha_seconds + shared);
    }
    return later_by(slowest_cluster(grid, message_bytes), across);
}

Estimate predict_local_group_seconds_as_printed(const GridModel& grid, std::int64_t message_bytes) {
    const LocalGroupFormula formula = formula_of(grid);
    const auto smaller_size = [&](const Member& from, const Member& to) -> std::int64_t {
        return std::min(formula.sizes()[static_cast<std::size_t>(from.cluster)],
                        formula.sizes()[static_cast<std::size_t>(to.cluster)]);
    };
    double across = 0;
    for (const WideAreaPhase& phase : wide_area_phases(formula, smaller_size)) {
        across += wide_area_seconds(grid, static_cast<double>(phase.largest) * static_cast<double>(message_bytes));
    }
    return later_by(slowest_cluster(grid, message_bytes), across);
}

Estimate predict_local_group_seconds(const GridModel& grid, std::int64_t message_bytes) {
    const LocalGroupFormula formula = formula_of(grid);
    Estimate slowest;
    std::vector<Member> destinations;
    for_each_member(formula, [&](const Member& from) {
        const ModelledCluster& cluster = grid.clusters[static_cast<std::size_t>(from.cluster)];
        LocalCost cost;
        for (std::int32_t agent = 0; agent < cluster.ranks; ++agent) {
            if (agent != from.index) {
                destinations.clear();
                formula.append_destinations(from, agent, destinations);
                add_message(cluster.local,
                            static_cast<double>(destinations.size()) * static_cast<double>(message_bytes), cost);
            }
        }
        take_maximum(seconds_of(cluster.local, cost), slowest);
    });
    std::vector<std::int32_t> origins;
    const auto carried = [&](const Member& from, const Member& to) {
        origins.clear();
        formula.append_origins(from, to, origins);
        return static_cast<std::int64_t>(origins.size());
    };
    return later_by(slowest, wide_area_seconds(grid, wide_area_phases(formula, carried), message_bytes));
}

}  // namespace aapc
