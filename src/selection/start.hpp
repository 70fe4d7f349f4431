/// @file
/// What a collective of a few bytes takes on the job's hosts, and what the start of a scheduled exchange costs there.
#pragma once

#include <cstdint>
#include <optional>

#include "aapc/topology/bound.hpp"

namespace aapc::selection {

/// The time of processors for a message of a collective where no job has measured it (message_seconds_of()): with 16
/// ranks on two cores.
inline constexpr double usual_message_seconds = 120e-6;

/// The rest of what a message takes in a collective of `ranks` ranks that took `seconds`, within a tenth and ten times
/// what is usual: all collectives at the start of a job may be those of an odd moment. O(1).
[[nodiscard]] double message_seconds_of(double seconds, const Bound& bound, std::int64_t ranks);

/// A collective of a few bytes takes log2(ranks) messages one after the other, one of which crosses the longest link.
/// Measured: 0.3 to 0.7 ms with 16 ranks at 25 and 100 Mbit/s, 0.2 ms with 8 at 1 Gbit/s. O(1).
[[nodiscard]] double expected_agreement_seconds(const Bound& bound, std::int64_t ranks, double message_seconds);

/// A start takes as long as so many reductions of a few bytes, on hosts and networks whose starts differ by a factor of
/// 270. Of 44 measured ones the median took 4.1, 32 took 2.5 to 6, and the longest 9.4 (docs/measurements.md).
inline constexpr double usual_reductions_of_start = 5;
/// Three of those 44 took less, 1.6 at least.
inline constexpr double least_reductions_of_start = 2;

/// What a scheduled exchange takes beyond its schedule: the common start, late wake-ups, the messages' own cost, the
/// end.
struct StartCosts {
    double least_seconds = 0;
    double usual_seconds = 0;  ///< expected as long as it is not measured
};

/// `message_seconds` above usual_message_seconds count for as much. `said_seconds`: what the user says of a start.
/// O(1).
[[nodiscard]] StartCosts start_costs(const Bound& bound, std::int64_t ranks, double message_seconds,
                                     std::optional<double> said_seconds = std::nullopt);

/// The usual one where no job is there to measure collectives. O(1).
[[nodiscard]] double expected_start_seconds(const Bound& bound, std::int64_t ranks);

}  // namespace aapc::selection
