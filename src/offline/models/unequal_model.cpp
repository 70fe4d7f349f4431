#include "aapc/offline/unequal_model.hpp"

#include <algorithm>
#include <cmath>

namespace aapc {

std::int64_t mean_message_bytes(const Demand& demand) {
    const std::int64_t participants = demand.participants();
    const std::int64_t pairs = participants * (participants - 1);
    std::int64_t total = 0;
    for (Rank from = 0; from < demand.participants(); ++from) {
        for (Rank to = 0; to < demand.participants(); ++to) {
            total += from == to ? 0 : demand.bytes(from, to);
        }
    }
    return pairs == 0 ? 0 : (total + pairs - 1) / pairs;
}

Estimate predict_native_unequal(const MethodModel& native, const Bound& equal, const DemandBound& bound,
                                std::int64_t mean_bytes) {
    const std::int64_t bytes = std::max<std::int64_t>(mean_bytes, 1);
    Estimate estimate = native.seconds(bytes);
    const double equal_bound = equal.seconds_per_byte * static_cast<double>(bytes);
    if (equal_bound > 0 && bound.nanoseconds > 0) {
        const double longer = bound.seconds() / equal_bound;
        estimate.value *= longer;
        estimate.interval.low *= longer;
        estimate.interval.high *= longer;
    }
    return estimate;
}

double predict_timed_unequal(const UnequalExchange& exchange, double pace, Rank participants, double start_up_seconds) {
    const double rounds = std::ceil(std::log2(std::max(participants, 1)));
    return (exchange.cycle_seconds + exchange.drain_seconds) / pace + 3 * rounds * start_up_seconds;
}

double largest_start_up_seconds(const NetworkModel& model) {
    double largest = model.wide_area ? model.wide_area->link.alpha_seconds : 0;
    for (const MeasuredCluster& cluster : model.clusters) {
        largest = std::max(largest, cluster.fit.link.alpha_seconds);
    }
    return largest;
}

}  // namespace aapc
