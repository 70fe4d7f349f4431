/// @file
/// From which block size on a scheduled exchange is worth its start.
#pragma once

#include <cstdint>
#include <string>

#include "aapc/topology/bound.hpp"
#include "aapc/topology/network.hpp"
#include "aapc/topology/placement.hpp"

namespace aapc::selection {

/// Smaller blocks are native however long the exchange lasts: MPIs send them in fewer messages than there are blocks,
/// and headers are a tenth of their bytes or more.
inline constexpr std::int64_t smallest_scheduled_block = 1024;

/// A schedule's gain as a fraction of the bound, for the part of the exchange that does not fit into the switches'
/// buffers: native reaches at most four fifths of a schedule's speed there (docs/measurements.md).
inline constexpr double gain_of_schedule = 0.2;

/// The same if one link needs at least twice as long as all others: its senders keep it busy in any order, and a
/// schedule only avoids losses (measured with one hot receiver: 1.05, docs/unequal.md).
inline constexpr double gain_at_one_link = 0.05;

/// The shortest time that a rank needs for each of its messages. No clock can separate shorter ones.
inline constexpr double shortest_message_seconds = 20e-6;

/// The size and time from which schedules pay on one network and placement.
struct Crossover {
    double start_seconds = 0;  ///< the assumed or measured start-up overhead
    double buffered_seconds =
        0;  ///< the part of the exchange that the busiest link's ports can buffer, as time on that link
    double bound_seconds = 0;      ///< exchanges with a shorter bound are native
    std::int64_t block_bytes = 0;  ///< the smallest block with that bound
};

/// The point from which the exchange's gain, `gain` of the part that exceeds the buffers, pays for `start_seconds`.
/// Never below smallest_scheduled_block, nor where a rank has less than shortest_message_seconds for a message. `bound`
/// is that of `network` and `placement`, and the speeds of its links are known; where exchanges of the largest blocks
/// are too short, `block_bytes` is larger than they are. O(links).
[[nodiscard]] Crossover crossover(const Network& network, const Placement& placement, const Bound& bound,
                                  double start_seconds, double gain = gain_of_schedule);

/// "worth a start of 3 ms from 16 ms of bound on".
[[nodiscard]] std::string to_string(const Crossover& crossover);

}  // namespace aapc::selection
