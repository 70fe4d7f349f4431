/// @file
/// What several times come to: of one candidate, and of two against each other.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "aapc/statistics/statistics.hpp"
#include "aapc/statistics/totals.hpp"

namespace aapc::learning {

/// So many times of the winner in a row show whether it is as it was.
inline constexpr std::size_t times_to_watch = 4;
/// Of the MPI's own, where it is measured apart, before it takes over: one call of it among exchanges by the clock is
/// not as it is among its like.
inline constexpr std::size_t times_of_a_take_over = 3;
/// With so many an interval is worth something.
inline constexpr std::size_t samples_of_a_verdict = 6;
/// With so many the mean is worth something; the winner is watched until there are twice as many, ever more rarely.
inline constexpr std::size_t samples_of_a_mean = 12;

/// The last ones, `most` of them at most.
[[nodiscard]] std::span<const double> latest(const std::vector<double>& values, std::size_t most);

/// Of the latest seven; at least one value.
[[nodiscard]] double typical(const std::vector<double>& values);

/// Whether the second takes longer in all, in the latest times of both.
[[nodiscard]] bool longer_in_all(const std::vector<double>& first, const std::vector<double>& second);

/// Whether the first, of which there are `least_samples`, takes less on average, even if the second had been spared its
/// slowest call: a program waits for the sum of its calls, and one in eight that is very slow does not show in medians
/// and ranks. One accident is left out; of two it is taken that there will be others.
[[nodiscard]] bool ahead_on_average(const std::vector<double>& first, const std::vector<double>& second,
                                    std::size_t least_samples = samples_of_a_mean);

/// How many times as long the first takes, pair by pair of the latest times.
[[nodiscard]] Estimate ratio_of(const std::vector<double>& first, const std::vector<double>& second);

}  // namespace aapc::learning
