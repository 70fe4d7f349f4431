/// @file
/// The contention signature of a network: the cost of an all-to-all beyond that of its single messages (Steffenel,
/// Martinasso & Trystram, sections IV and V, equations 4 and 5), fitted to measurements with its uncertainty.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "aapc/input/diagnostic.hpp"
#include "aapc/input/statistics.hpp"
#include "aapc/topology/network.hpp"

namespace aapc {

/// One measured all-to-all.
struct ContentionSample {
    Rank ranks = 0;                  ///< at least 2
    std::int64_t message_bytes = 0;  ///< that each rank has for each other; at least 1
    double seconds = 0;              ///< of the slowest rank; above 0

    friend bool operator==(const ContentionSample&, const ContentionSample&) = default;
};

/// The cost of one message alone: alpha + bytes · beta (Hockney).
struct PointToPoint {
    double alpha_seconds = 0;          ///< start-up, 0 or more
    double beta_seconds_per_byte = 0;  ///< above 0
};

/// Where the threshold M lies: above `above`, not above `up_to`. Samples only show between which sizes.
struct ThresholdInterval {
    std::int64_t above = 0;  ///< bytes
    std::int64_t up_to = 0;  ///< bytes
};

/// What to measure next, and why.
struct NextMeasurement {
    Rank ranks = 0;
    std::int64_t message_bytes = 0;
    std::string why;  ///< a whole sentence

    friend bool operator==(const NextMeasurement&, const NextMeasurement&) = default;
};

/// T = (n-1)·(alpha + m·beta·gamma + delta·[m >= M]) for n ranks and messages of m bytes.
struct ContentionFit {
    PointToPoint link;
    Estimate gamma;                              ///< this and delta with 95 % intervals
    Estimate delta;                              ///< seconds; its value is 0 where the data do not support one
    std::optional<ThresholdInterval> threshold;  ///< of M; nullopt if delta is 0
    double delta_probability = 1;                ///< of as much evidence for a delta where there is none
    double relative_deviation = 0;  ///< of one measurement from the model: standard deviation of log(seconds)
    std::size_t samples = 0;
    Rank fewest_ranks = 0;
    Rank most_ranks = 0;
    std::int64_t smallest_bytes = 0;
    std::int64_t largest_bytes = 0;
    /// What the data cannot decide or contradict, as plain sentences.
    std::vector<std::string> remarks;
    std::optional<NextMeasurement> next;

    // For prediction: the parameters' covariance (gamma, delta), and the quantile of t that goes with 95 %.
    double variance_gamma = 0;
    double variance_delta = 0;
    double covariance = 0;
    double quantile = 0;

    std::string method;  ///< of the samples, as to_string(Method) writes it; empty if unknown
};

/// Fits gamma, delta and M to at least three samples. Errors count relative to the times (least squares on log T by
/// Gauss-Newton), M is profiled over every partition of the observed sizes with at least one size below it and two not
/// below it. Whether delta is needed is decided by a parametric bootstrap of the likelihood ratio (the chi-square
/// distribution does not hold, since M means nothing without delta), at a level of 2 %. Intervals are Student's, over
/// all thresholds that the data do not rule out. Deterministic. O(bootstrap · sizes · samples).
[[nodiscard]] Expected<ContentionFit> fit_contention(std::span<const ContentionSample> samples,
                                                     const PointToPoint& link);

/// fit.next as far as possible with at most `most_ranks` ranks and `most_bytes` bytes. A larger number of ranks is
/// replaced by another that was not measured yet. Nullopt if there is none.
[[nodiscard]] std::optional<NextMeasurement> next_within(const ContentionFit& fit, Rank most_ranks,
                                                         std::int64_t most_bytes);

/// alpha and beta from the samples of two ranks, whose all-to-all is one message each way; or why these do not suffice.
/// Needs at least two sizes.
[[nodiscard]] Expected<PointToPoint> point_to_point_of(std::span<const ContentionSample> samples);

/// The model's prediction for `ranks` ranks and messages of `message_bytes`: the time, and the interval in which 95 %
/// of single measurements fall if the model holds there.
[[nodiscard]] Estimate predict_seconds(const ContentionFit& fit, Rank ranks, std::int64_t message_bytes);

/// Why a prediction for that many ranks and bytes extrapolates beyond the measurements, as a sentence; empty if it does
/// not.
[[nodiscard]] std::string extrapolation_remark(const ContentionFit& fit, Rank ranks, std::int64_t message_bytes);

/// Reads `ranks,message_bytes,seconds`, one sample per line after a header line of these names. Blank lines and lines
/// that begin with # are skipped. A mistake is named with its line and column.
[[nodiscard]] Expected<std::vector<ContentionSample>> read_contention_samples(std::string_view text,
                                                                              std::string_view file);

/// The fit as a JSON document (format "aapc-fit/1"), newline at the end. Missing bounds are null.
[[nodiscard]] std::string contention_json(const ContentionFit& fit);

/// Reads it back; the diagnostic names the member that is missing or wrong.
[[nodiscard]] Expected<ContentionFit> read_contention_fit(std::string_view text, std::string_view file);

}  // namespace aapc
