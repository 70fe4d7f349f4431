#include "offline/models/profile.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

namespace aapc::model {

namespace {

using Eigen::ArrayXd;

/// Gauss-Newton on the errors of log T, steps halved until they help. One column of the design has been dropped where
/// there is no delta.
struct Search {
    const Regressors& regressors;
    const ArrayXd& log_seconds;
    const ArrayXd& step;
    bool with_delta;

    [[nodiscard]] ArrayXd times(double gamma, double delta) const {
        return regressors.base + gamma * regressors.slope + delta * step;
    }
    [[nodiscard]] double squares(double gamma, double delta) const {
        return (log_seconds - times(gamma, delta).log()).square().sum();
    }

    Candidate run(double gamma, double delta) const {
        constexpr int most_steps = 60;
        double best = squares(gamma, delta);
        for (int iteration = 0; iteration < most_steps; ++iteration) {
            const Eigen::Vector2d change = direction(gamma, delta);
            double share = 1;
            bool better = false;
            for (int halving = 0; halving < 30 && !better; ++halving, share /= 2) {
                const double next_gamma = gamma + share * change[0];
                // A delta below zero would be time that contention gives back.
                const double next_delta = std::max(0.0, delta + share * change[1]);
                if (next_gamma <= 0) {
                    continue;
                }
                const double reached = squares(next_gamma, next_delta);
                if (reached < best) {
                    better = best - reached > 1e-13 * best;
                    best = reached;
                    gamma = next_gamma;
                    delta = next_delta;
                    break;
                }
            }
            if (!better) {
                break;
            }
        }
        return candidate(gamma, delta, best);
    }

    [[nodiscard]] Eigen::Matrix2d information(double gamma, double delta) const {
        const ArrayXd weights = times(gamma, delta).square().inverse();
        Eigen::Matrix2d matrix = Eigen::Matrix2d::Zero();
        matrix(0, 0) = (regressors.slope.square() * weights).sum();
        if (with_delta) {
            matrix(0, 1) = matrix(1, 0) = (regressors.slope * step * weights).sum();
            matrix(1, 1) = (step.square() * weights).sum();
        }
        return matrix;
    }

    [[nodiscard]] Eigen::Vector2d direction(double gamma, double delta) const {
        const ArrayXd fitted = times(gamma, delta);
        const ArrayXd errors = (log_seconds - fitted.log()) / fitted;
        const Eigen::Vector2d gradient((errors * regressors.slope).sum(), with_delta ? (errors * step).sum() : 0.0);
        const Eigen::Matrix2d matrix = information(gamma, delta);
        if (!with_delta) {
            return {gradient[0] / matrix(0, 0), 0.0};
        }
        return matrix.fullPivLu().solve(gradient);
    }

    [[nodiscard]] Candidate candidate(double gamma, double delta, double best) const {
        Candidate result;
        result.gamma = gamma;
        result.delta = delta;
        result.squares = best;
        result.information = information(gamma, delta);
        result.fitted = times(gamma, delta);
        return result;
    }
};

/// Where the search begins: the median of what each sample by itself says of gamma.
double first_gamma(const Regressors& regressors, const ArrayXd& log_seconds) {
    const ArrayXd each = (log_seconds.exp() - regressors.base) / regressors.slope;
    std::vector<double> values(each.begin(), each.end());
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return std::max(*middle, 1e-3);
}

}  // namespace

Regressors::Regressors(std::span<const ContentionSample> samples, const PointToPoint& link)
    : base(static_cast<Eigen::Index>(samples.size())), slope(base.size()), messages(base.size()) {
    Eigen::Index row = 0;
    for (const ContentionSample& sample : samples) {
        const double others = sample.ranks - 1;
        base[row] = others * link.alpha_seconds;
        slope[row] = others * static_cast<double>(sample.message_bytes) * link.beta_seconds_per_byte;
        messages[row] = others;
        bytes.push_back(sample.message_bytes);
        ++row;
    }
    sizes = bytes;
    std::sort(sizes.begin(), sizes.end());
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
}

ArrayXd Regressors::step(std::int64_t threshold) const {
    ArrayXd column = messages;
    for (Eigen::Index row = 0; row < count(); ++row) {
        if (bytes[static_cast<std::size_t>(row)] < threshold) {
            column[row] = 0;
        }
    }
    return column;
}

Candidate fit_plain(const Regressors& regressors, const ArrayXd& log_seconds) {
    const ArrayXd nothing = ArrayXd::Zero(regressors.count());
    return Search{regressors, log_seconds, nothing, false}.run(first_gamma(regressors, log_seconds), 0);
}

Candidate fit_step(const Regressors& regressors, const ArrayXd& log_seconds, std::int64_t threshold) {
    const ArrayXd column = regressors.step(threshold);
    const Search search{regressors, log_seconds, column, true};
    // Two starts: without a delta, and with one that explains half of what large messages take.
    const double gamma = first_gamma(regressors, log_seconds);
    const Candidate from_zero = search.run(gamma, 0);
    const double per_message = ((log_seconds.exp() - regressors.base) / regressors.messages).max(0).minCoeff();
    const Candidate from_half = search.run(gamma / 2, per_message / 2);
    return from_half.squares < from_zero.squares ? from_half : from_zero;
}

std::vector<Candidate> profile_thresholds(const Regressors& regressors, const ArrayXd& log_seconds) {
    std::vector<Candidate> profile;
    for (std::size_t partition = 0; partition + 2 < regressors.sizes.size(); ++partition) {
        profile.push_back(fit_step(regressors, log_seconds, regressors.sizes[partition + 1]));
        profile.back().partition = partition;
    }
    return profile;
}

}  // namespace aapc::model
