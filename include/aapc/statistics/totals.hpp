/// @file
/// What pairs of times come to in all. A program waits for the sum of its calls, and ranks of pairs do not see how much
/// longer the slow ones take. The tuner and the learner decide by both, with these.
#pragma once

#include <span>

namespace aapc {

/// Who is ahead by less is not worth replacing anybody.
inline constexpr double noise_of_comparisons = 1.02;

/// The middle value, of two middle ones the lower: accidents make calls longer and never shorter. At least one value.
/// O(n).
[[nodiscard]] double lower_median(std::span<const double> values);

/// Whether the candidate takes longer in all than the reference, beyond chance: had each pair's difference been as
/// likely the other way round, the sum of all differences would be as far on that side one time in 44 (two standard
/// deviations). A few accidents are not enough, but a slow call in every eight is once there are 60. Equally many
/// times. O(n).
[[nodiscard]] bool takes_longer_in_all(std::span<const double> reference, std::span<const double> candidate);

/// How many times as long the reference takes in all as the candidate, at least, whichever of the pairs is left out.
/// Equally many times, at least two, all > 0. O(n).
[[nodiscard]] double least_ratio_of_sums(std::span<const double> reference, std::span<const double> candidate);

}  // namespace aapc
