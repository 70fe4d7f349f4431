/// @file
/// The likelihood profile of the threshold: for every partition of the sizes the best gamma and delta.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "aapc/offline/contention.hpp"

namespace aapc::model {

/// Samples in the form in which the model is linear in its parameters: T = base + gamma·slope + delta·step.
struct Regressors {
    Eigen::ArrayXd base;      ///< (n-1)·alpha
    Eigen::ArrayXd slope;     ///< (n-1)·m·beta
    Eigen::ArrayXd messages;  ///< n-1
    std::vector<std::int64_t> bytes;
    std::vector<std::int64_t> sizes;  ///< the distinct message sizes, ascending

    Regressors(std::span<const ContentionSample> samples, const PointToPoint& link);
    [[nodiscard]] Eigen::Index count() const { return base.size(); }
    /// (n-1) where the message is not smaller than `threshold`, else 0.
    [[nodiscard]] Eigen::ArrayXd step(std::int64_t threshold) const;
};

/// The best parameters for one threshold, or without a delta.
struct Candidate {
    std::optional<std::size_t>
        partition;  ///< M is above sizes[partition], not above sizes[partition+1]; nullopt if there is no delta
    double gamma = 0;
    double delta = 0;
    double squares = 0;                                     ///< of the errors of log T
    Eigen::Matrix2d information = Eigen::Matrix2d::Zero();  ///< J'J at the optimum; (0,0) alone without a delta
    Eigen::ArrayXd fitted;                                  ///< seconds

    [[nodiscard]] int parameters() const { return partition ? 2 : 1; }
};

/// Without delta.
[[nodiscard]] Candidate fit_plain(const Regressors& regressors, const Eigen::ArrayXd& log_seconds);
/// With delta >= 0 for messages of at least `threshold` bytes.
[[nodiscard]] Candidate fit_step(const Regressors& regressors, const Eigen::ArrayXd& log_seconds,
                                 std::int64_t threshold);
/// For every partition that the data can identify (at least one size below M, two not below).
[[nodiscard]] std::vector<Candidate> profile_thresholds(const Regressors& regressors,
                                                        const Eigen::ArrayXd& log_seconds);

}  // namespace aapc::model
