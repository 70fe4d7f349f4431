/// @file
/// Times that ranks note by their own clocks, since they last left a collective together.
#pragma once

#include <cstdint>

namespace aapc::mpi {

/// Clocks that were compared so long ago have run apart by a millisecond, which is too much of shorter calls than most
/// that are learned from.
inline constexpr std::int64_t longest_nanoseconds_on_clocks = 20'000'000'000;

/// Whether clocks of two computers that were compared `since_seconds` ago can be wrong by no more than a 20th of
/// `measured_seconds`. They run apart by 50 millionths at most.
[[nodiscard]] constexpr bool clocks_still_agree(double since_seconds, double measured_seconds) {
    constexpr double largest_drift = 5e-5;
    constexpr double tolerated_error = 0.05;
    return since_seconds * largest_drift <= tolerated_error * measured_seconds;
}

}  // namespace aapc::mpi
