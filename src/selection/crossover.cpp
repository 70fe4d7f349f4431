#include "selection/crossover.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "aapc/input/units.hpp"
#include "aapc/methods/cadence.hpp"
#include "selection/rule.hpp"

namespace aapc::selection {

namespace {

/// How long the busiest link is busy with what the larger of its two buffers holds.
double buffered_seconds(const Network& network, const Bound& bound) {
    const std::int32_t busiest = bound.links.front().link;
    const std::int64_t bytes =
        std::max(port_buffer_bytes(network, 2 * busiest), port_buffer_bytes(network, 2 * busiest + 1));
    return 8 * static_cast<double>(bytes) / network.links()[static_cast<std::size_t>(busiest)].bits_per_second;
}

}  // namespace

Crossover crossover(const Network& network, const Placement& placement, const Bound& bound, double start_seconds,
                    double gain) {
    Crossover found;
    found.start_seconds = start_seconds;
    found.buffered_seconds = buffered_seconds(network, bound);
    const double for_all_messages = shortest_message_seconds * (placement.participants() - 1);
    found.bound_seconds = std::max(found.buffered_seconds + found.start_seconds / gain, for_all_messages);
    const double bytes = std::min(found.bound_seconds / bound.seconds_per_byte, largest_scheduled_block + 1.0);
    // A hair less, so that a whole number of bytes is not rounded up.
    found.block_bytes = std::max(static_cast<std::int64_t>(std::ceil(bytes - 1e-6)), smallest_scheduled_block);
    found.bound_seconds =
        std::max(found.bound_seconds, static_cast<double>(smallest_scheduled_block) * bound.seconds_per_byte);
    return found;
}

std::string to_string(const Crossover& crossover) {
    return fmt::format("worth a start of {} from {} of bound on",
                       duration_text(crossover.start_seconds, significant(3)),
                       duration_text(crossover.bound_seconds, significant(3)));
}

}  // namespace aapc::selection
