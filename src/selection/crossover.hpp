/// @file
/// From which block size on a scheduled exchange is worth its start.
#pragma once

#include <cstdint>
#include <string>

#include "aapc/topology/bound.hpp"
#include "aapc/topology/network.hpp"
#include "aapc/topology/placement.hpp"

namespace aapc::selection {

/// Smaller blocks go to the MPI's own routine however long the exchange lasts: MPIs send them in fewer messages than
/// there are blocks, and headers weigh a tenth of them and more.
inline constexpr std::int64_t smallest_scheduled_block = 1024;

/// What a scheduled exchange takes beyond its schedule where nobody has measured it: the common start, late wake-ups,
/// the end. Measured: 3 to 4 ms with 16 ranks on two cores at 100 Mbit/s, 1.6 to 2.4 ms with 8 at 1 Gbit/s.
inline constexpr double usual_start_seconds = 3e-3;

/// A measured start is taken to cost at least this: nobody has seen a schedule win in exchanges of 13 ms or less on
/// links of 1 Gbit/s and more.
inline constexpr double least_start_seconds = 2e-3;

/// What a schedule gains of the bound, for the part of the exchange that does not fit into the switches' buffers: MPIs
/// reach four fifths of what it reaches there, or less (docs/measurements.md).
inline constexpr double gain_of_schedule = 0.2;

/// The same where one link needs at least twice as long as all others: whoever sends to it keeps it busy in any order,
/// and a schedule spares it the losses alone (measured with one hot receiver: 1.05, docs/unequal.md).
inline constexpr double gain_at_one_link = 0.05;

/// The shortest time that a rank needs for each of its messages. Shorter ones cannot be kept apart by any clock.
inline constexpr double shortest_message_seconds = 20e-6;

/// Where schedules begin to pay on one network and placement.
struct Crossover {
    double start_seconds = 0;      ///< what a start was taken to cost
    double buffered_seconds = 0;   ///< what of the exchange the busiest link's ports can hold, in time on that link
    double bound_seconds = 0;      ///< exchanges that take less at best go to the MPI's own routine
    std::int64_t block_bytes = 0;  ///< the smallest block whose bound that is
};

/// What a start costs there if nobody measures it: usual_start_seconds, and the latency of the links for each round of
/// the agreement.
[[nodiscard]] double expected_start_seconds(const Network& network, const Placement& placement, const Bound& bound);

/// What the exchange gains, `gain` of what exceeds the buffers, pays for `start_seconds` from here on;
/// never below smallest_scheduled_block, nor where a rank has less than
/// shortest_message_seconds for a message. `bound` is that of `network` and `placement`, and the speeds of its links
/// are known; where exchanges of the largest blocks are too short,
/// `block_bytes` is larger than they are. O(links).
[[nodiscard]] Crossover crossover(const Network& network, const Placement& placement, const Bound& bound,
                                  double start_seconds, double gain = gain_of_schedule);

/// "worth a start of 3 ms from 16 ms of bound on".
[[nodiscard]] std::string to_string(const Crossover& crossover);

}  // namespace aapc::selection
