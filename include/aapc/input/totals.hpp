/// @file
/// Sums over pairs of times. A program waits for the sum of its calls, and ranks of pairs do not show how much longer
/// the slow ones take. The tuner and the learner decide by both, with these functions.
#pragma once

#include <span>

namespace aapc {

/// A candidate with a smaller lead does not replace another one.
inline constexpr double noise_of_comparisons = 1.02;

/// The middle value, of two middle ones the lower: accidents make calls longer and never shorter. At least one value.
/// O(n).
[[nodiscard]] double lower_median(std::span<const double> values);

/// Whether the candidate's total time is longer than the reference's, beyond chance. If each pair's difference were as
/// likely the other way round, the sum of all differences would be as far on that side one time in 44 (two standard
/// deviations). A few accidents are not enough, but a slow call in every eight is once there are 60. Equally many
/// times. O(n).
[[nodiscard]] bool takes_longer_in_all(std::span<const double> reference, std::span<const double> candidate);

/// The least ratio of the reference's total time to the candidate's, whichever of the pairs is left out. Equally many
/// times, at least two, all > 0. O(n).
[[nodiscard]] double least_ratio_of_sums(std::span<const double> reference, std::span<const double> candidate);

}  // namespace aapc
