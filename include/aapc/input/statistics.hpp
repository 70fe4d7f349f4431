/// @file
/// Statistics of running times. Times of collective operations are skewed and have heavy tails (a retransmission takes
/// 200 ms), so everything here is order statistics: no mean, no normal distribution.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace aapc {

/// The confidence level that is used unless another is asked for.
inline constexpr double usual_confidence = 0.95;

/// From `low` to `high`, both included, with the probability that such an interval holds what it is to hold.
struct ConfidenceInterval {
    double low = 0;
    double high = 0;
    double level = 0;  ///< achieved, 0 … 1; less than asked for where there are too few samples

    friend bool operator==(const ConfidenceInterval&, const ConfidenceInterval&) = default;
};

/// A value estimated from samples.
struct Estimate {
    double value = 0;
    ConfidenceInterval interval;

    friend bool operator==(const Estimate&, const Estimate&) = default;
};

/// The middle value, or the mean of the middle two. At least one value, none NaN. O(n).
[[nodiscard]] double median(std::span<const double> values);

/// median() of values that it may put into another order, so that it takes no memory. O(n).
[[nodiscard]] double median_in_place(std::span<double> values);

/// The value below which the share `share` (0 … 1) of the values lies, interpolated between neighbours: quantile(0) is
/// the least, quantile(0.5) the median, quantile(1) the greatest (Hyndman & Fan 1996, type 7). At least one value, none
/// NaN. O(n log n).
[[nodiscard]] double quantile(std::span<const double> values, double share);

/// A confidence interval of the median of whatever distribution the values come from, as long as they are independent:
/// from the k-th least to the k-th greatest of n values, with the largest k for which
/// 1 - 2·P(Binomial(n, 1/2) < k) is at least `level` (0 < level < 1). It achieves that probability exactly for
/// continuous distributions and at least that for others. Where even k = 1 falls short (fewer than 6 values for 0.95),
/// it is the whole range, and `level` says how little that is: 0 for a single value. At least one value, none NaN.
/// O(n log n).
[[nodiscard]] ConfidenceInterval median_interval(std::span<const double> values, double level = usual_confidence);

/// median() with median_interval().
[[nodiscard]] Estimate estimate_median(std::span<const double> values, double level = usual_confidence);

/// How far the values lie apart: the range of the middle half (quantile 0.75 - quantile 0.25) as a share of the median.
/// At least one value, all of them > 0.
[[nodiscard]] double relative_spread(std::span<const double> values);

/// exp(mean(log(value))). At least one value, all of them > 0.
[[nodiscard]] double geometric_mean(std::span<const double> values);

/// Whether a candidate takes less time than what it is compared with.
enum class Verdict : std::uint8_t { faster, slower, undecided };

/// "faster", "slower", "undecided".
[[nodiscard]] std::string_view to_string(Verdict verdict);

/// Two candidates that took turns.
struct PairedComparison {
    Estimate ratio;  ///< median of reference/candidate, pair by pair: above 1 the candidate is faster
    Verdict verdict = Verdict::undecided;
};

/// Compares two series of times that were measured in turns, so that pair i of both met the same conditions: other
/// traffic, a slow spell of a machine. `candidate` is faster if the whole confidence interval of the median ratio
/// reference[i]/candidate[i] is above 1 + margin, slower if all of it is below 1/(1 + margin), and undecided otherwise,
/// which includes too few samples for `level`. Equally many times, at least one, all > 0; margin >= 0. O(n log n).
[[nodiscard]] PairedComparison compare_pairs(std::span<const double> reference, std::span<const double> candidate,
                                             double level = usual_confidence, double margin = 0);

/// How many times as long the reference takes as the candidate, from times that were measured in turns: the
/// Hodges-Lehmann estimate, exp of the median of all (a + b)/2 where a and b are logarithms of ratios
/// reference[i]/candidate[i], with the interval that belongs to Wilcoxon's signed-rank test (Hollander & Wolfe,
/// "Nonparametric Statistical Methods", section 3.3). It is exact where the logarithms scatter symmetrically about
/// their median, and half as wide as compare_pairs' where they scatter without far outliers: with ten pairs one
/// contrary pair need not spoil a lead. Where the pairs are too few for `level` (fewer than 8 for 0.99) the interval is
/// the whole range of the ratios, and its `level` says how little that is. Equally many times, at least one, all > 0.
/// O(n² log n).
[[nodiscard]] Estimate paired_ratio(std::span<const double> reference, std::span<const double> candidate,
                                    double level = usual_confidence);

}  // namespace aapc
