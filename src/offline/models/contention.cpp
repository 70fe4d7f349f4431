#include "aapc/offline/contention.hpp"

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <utility>

#include "offline/models/profile.hpp"

namespace aapc {

namespace {

using Eigen::ArrayXd;
using model::Candidate;
using model::Regressors;

constexpr double level = usual_confidence;
constexpr double level_of_delta = 0.02;  ///< how often a delta may be seen where there is none
constexpr int bootstrap_draws = 499;
constexpr double smallest_squares = 1e-20;  ///< errors below this are rounding, not measurement

/// By how much the likelihood of one fit exceeds another's: N·log of the ratio of their squares.
double likelihood_gain(const Candidate& plain, const Candidate& with_delta) {
    return static_cast<double>(plain.fitted.size()) *
           std::log(std::max(plain.squares, smallest_squares) / std::max(with_delta.squares, smallest_squares));
}

const Candidate* best_of(const std::vector<Candidate>& profile) {
    const auto best =
        std::min_element(profile.begin(), profile.end(),
                         [](const Candidate& left, const Candidate& right) { return left.squares < right.squares; });
    return best == profile.end() ? nullptr : &*best;
}

/// How often data without a delta, as noisy as these, show as much evidence for one. Stops early once the answer is
/// clearly "too often".
double probability_without_delta(const Regressors& regressors, const Candidate& plain, double gain) {
    // With enough samples no noise comes near this gain, so there is nothing to find out.
    constexpr Eigen::Index enough = 12;
    constexpr double beyond_noise = 80;
    if (regressors.count() >= enough && gain > beyond_noise) {
        return 1.0 / (bootstrap_draws + 1.0);
    }
    std::mt19937_64 generator(20050913);
    std::normal_distribution<double> noise(
        0, std::sqrt(plain.squares / static_cast<double>(std::max<Eigen::Index>(regressors.count() - 1, 1))));
    int reached = 0;
    int drawn = 0;
    for (; drawn < bootstrap_draws && reached < bootstrap_draws / 10; ++drawn) {
        ArrayXd log_seconds = plain.fitted.log();
        for (double& value : log_seconds) {
            value += noise(generator);
        }
        const std::vector<Candidate> profile = model::profile_thresholds(regressors, log_seconds);
        reached += likelihood_gain(model::fit_plain(regressors, log_seconds), *best_of(profile)) >= gain ? 1 : 0;
    }
    return (reached + 1.0) / (drawn + 1.0);
}

double freedom(const Regressors& regressors, const Candidate& candidate) {
    return static_cast<double>(std::max<Eigen::Index>(regressors.count() - candidate.parameters(), 1));
}

double t_quantile(double degrees) {
    return boost::math::quantile(boost::math::students_t_distribution<double>(degrees), (1 + level) / 2);
}

/// Covariance of gamma and delta.
Eigen::Matrix2d covariance_of(const Regressors& regressors, const Candidate& candidate) {
    const double variance = candidate.squares / freedom(regressors, candidate);
    if (candidate.parameters() == 1) {
        Eigen::Matrix2d matrix = Eigen::Matrix2d::Zero();
        matrix(0, 0) = variance / candidate.information(0, 0);
        return matrix;
    }
    return variance * candidate.information.inverse();
}

/// The interval of one parameter over all thresholds that are not ruled out.
Estimate interval_over(const Regressors& regressors, const std::vector<const Candidate*>& plausible,
                       double Candidate::*parameter, int row) {
    Estimate estimate{plausible.front()->*parameter, {std::numeric_limits<double>::infinity(), 0, level}};
    for (const Candidate* candidate : plausible) {
        const double reach =
            t_quantile(freedom(regressors, *candidate)) * std::sqrt(covariance_of(regressors, *candidate)(row, row));
        estimate.interval.low = std::min(estimate.interval.low, candidate->*parameter - reach);
        estimate.interval.high = std::max(estimate.interval.high, candidate->*parameter + reach);
    }
    estimate.interval.low = std::max(estimate.interval.low, 0.0);
    return estimate;
}

/// The best first, then every other threshold whose likelihood is not far below.
std::vector<const Candidate*> plausible_thresholds(const std::vector<Candidate>& profile) {
    const double most = boost::math::quantile(boost::math::chi_squared_distribution<double>(1), 0.999);
    const Candidate* best = best_of(profile);
    std::vector<const Candidate*> plausible{best};
    for (const Candidate& candidate : profile) {
        if (&candidate != best && likelihood_gain(candidate, *best) <= most) {
            plausible.push_back(&candidate);
        }
    }
    return plausible;
}

Expected<void> check_input(std::span<const ContentionSample> samples, const PointToPoint& link) {
    if (!(link.beta_seconds_per_byte > 0) || !(link.alpha_seconds >= 0) || !std::isfinite(link.alpha_seconds) ||
        !std::isfinite(link.beta_seconds_per_byte)) {
        return failure(
            fmt::format("alpha {} s and beta {} s a byte are no link", link.alpha_seconds, link.beta_seconds_per_byte),
            "give an alpha of at least 0 and a beta above 0");
    }
    constexpr std::size_t fewest_samples = 3;
    const auto usable = std::count_if(samples.begin(), samples.end(), [](const ContentionSample& sample) {
        return sample.ranks >= 2 && sample.message_bytes >= 1 && sample.seconds > 0 && std::isfinite(sample.seconds);
    });
    if (samples.size() < fewest_samples || usable != static_cast<std::ptrdiff_t>(samples.size())) {
        return failure(fmt::format("{} of {} samples can be used", usable, samples.size()),
                       "give at least three, each of at least 2 ranks, 1 byte and a time above 0");
    }
    return {};
}

std::string bytes_text(std::int64_t bytes) { return fmt::format("{} bytes", bytes); }

/// The plain sentences about what the data cannot tell.
class Remarks {
  public:
    Remarks(const Regressors& regressors, const ArrayXd& log_seconds, std::span<const ContentionSample> samples,
            const PointToPoint& link, ContentionFit& fit)
        : regressors_(regressors), log_seconds_(log_seconds), samples_(samples), link_(link), fit_(fit) {}

    void add(const Candidate& chosen) {
        about_sizes(chosen);
        about_rank_counts();
        if (samples_.size() < 6) {
            say(
                fmt::format("{} samples leave hardly anything to judge the errors by; the intervals are wide for that "
                            "reason.",
                            samples_.size()));
        }
    }

  private:
    static constexpr double clear_gain = 15;  ///< of the likelihood: beyond any doubt that matters here

    void say(std::string sentence) { fit_.remarks.push_back(std::move(sentence)); }

    void about_sizes(const Candidate& chosen) {
        const std::vector<std::int64_t>& sizes = regressors_.sizes;
        if (sizes.size() < 3) {
            say(
                fmt::format("{} message size{} measured: a delta and its M cannot be told from gamma; measure at least "
                            "three, two of them large.",
                            sizes.size(), sizes.size() == 1 ? " was" : "s were"));
        }
        if (sizes.size() >= 2) {
            about_everywhere(chosen);
            about_largest_only(chosen);
        }
        if (!fit_.threshold && sizes.size() >= 3) {
            say(
                fmt::format("The data do not support a delta: M is free, and a delta above {:.3g} s for messages of {} "
                            "or more is ruled out.",
                            fit_.delta.interval.high, bytes_text(sizes[1])));
        }
    }

    /// An M below all sizes: the same as an error in alpha.
    void about_everywhere(const Candidate& chosen) {
        const Candidate everywhere = model::fit_step(regressors_, log_seconds_, regressors_.sizes.front());
        if (likelihood_gain(chosen, everywhere) > clear_gain) {
            say(fmt::format(
                "Messages of every size cost {:.3g} s more than alpha says: a delta whose M lies at or below "
                "the smallest size measured, {}, or an error in alpha; measure smaller messages.",
                everywhere.delta, bytes_text(regressors_.sizes.front())));
        }
    }

    void about_largest_only(const Candidate& chosen) {
        const Candidate largest = model::fit_step(regressors_, log_seconds_, regressors_.sizes.back());
        if (likelihood_gain(chosen, largest) > clear_gain) {
            say(fmt::format(
                "Only the largest size, {}, is slower than the others suggest: one size above M tells nothing "
                "of delta; measure a larger one.",
                bytes_text(regressors_.sizes.back())));
        }
    }

    void about_rank_counts() {
        if (fit_.fewest_ranks == fit_.most_ranks) {
            say(
                fmt::format("All samples have {} ranks: whether contention grows with their number cannot be seen; "
                            "measure another number of ranks.",
                            fit_.most_ranks));
            return;
        }
        const auto fewest = gamma_at(fit_.fewest_ranks);
        const auto most = gamma_at(fit_.most_ranks);
        if (!fewest || !most) {
            return;
        }
        const double difference = most->first - fewest->first;
        const double deviation = std::hypot(most->second, fewest->second);
        if (difference > 3 * deviation && most->first > 1.1 * fewest->first) {
            say(fmt::format(
                "Gamma grows with the number of ranks, from {:.3g} at {} to {:.3g} at {}: the smaller counts "
                "do not saturate the network, and predictions for more ranks will be too low; fit the larger "
                "counts only.",
                fewest->first, fit_.fewest_ranks, most->first, fit_.most_ranks));
        }
    }

    /// Gamma and its standard deviation for one number of ranks, delta taken as fitted.
    [[nodiscard]] std::optional<std::pair<double, double>> gamma_at(Rank ranks) const {
        std::vector<ContentionSample> part;
        for (const ContentionSample& sample : samples_) {
            if (sample.ranks == ranks) {
                ContentionSample without_delta = sample;
                const bool above = fit_.threshold && sample.message_bytes >= fit_.threshold->up_to;
                without_delta.seconds -= above ? (sample.ranks - 1) * fit_.delta.value : 0.0;
                // What is all delta says nothing of gamma.
                if (without_delta.seconds > 0.2 * sample.seconds) {
                    part.push_back(without_delta);
                }
            }
        }
        if (part.size() < 3) {
            return std::nullopt;
        }
        const Regressors regressors(part, link_);
        ArrayXd log_seconds(regressors.count());
        for (Eigen::Index row = 0; row < log_seconds.size(); ++row) {
            log_seconds[row] = std::log(part[static_cast<std::size_t>(row)].seconds);
        }
        const Candidate plain = model::fit_plain(regressors, log_seconds);
        return std::pair(plain.gamma, std::sqrt(covariance_of(regressors, plain)(0, 0)));
    }

    const Regressors& regressors_;
    const ArrayXd& log_seconds_;
    std::span<const ContentionSample> samples_;
    const PointToPoint& link_;
    ContentionFit& fit_;
};

/// The geometric middle of the widest gap (as a ratio) between two of `sizes` (ascending) within `threshold`: a size
/// that was not measured; or nothing where there is none.
std::optional<std::int64_t> middle_of_widest_gap(const std::vector<std::int64_t>& sizes,
                                                 const ThresholdInterval& threshold) {
    std::optional<std::int64_t> middle;
    double widest = 1;
    for (std::size_t index = 1; index < sizes.size(); ++index) {
        const std::int64_t low = sizes[index - 1];
        const std::int64_t high = sizes[index];
        const double ratio = static_cast<double>(high) / static_cast<double>(low);
        if (low >= threshold.above && high <= threshold.up_to && high > low + 1 && ratio > widest) {
            widest = ratio;
            middle =
                std::clamp(static_cast<std::int64_t>(static_cast<double>(low) * std::sqrt(ratio)), low + 1, high - 1);
        }
    }
    return middle;
}

/// What would help most: first what cannot be told at all, then the threshold, then gamma.
NextMeasurement next_measurement(const ContentionFit& fit, const Regressors& regressors) {
    const std::vector<std::int64_t>& sizes = regressors.sizes;
    if (sizes.size() < 3) {
        return {fit.most_ranks, sizes.back() * 4, "A third, larger size lets a delta be told from gamma."};
    }
    if (fit.threshold &&
        fit.threshold->up_to > fit.threshold->above + std::max<std::int64_t>(fit.threshold->above / 8, 1)) {
        if (const auto middle = middle_of_widest_gap(sizes, *fit.threshold)) {
            return {
                fit.most_ranks, *middle,
                fmt::format("M lies above {} and not above {}; no size was measured so far from its neighbours there.",
                            fit.threshold->above, fit.threshold->up_to)};
        }
    }
    if (fit.fewest_ranks == fit.most_ranks) {
        return {std::max(fit.most_ranks * 2, 3), sizes.back(),
                "A second number of ranks shows whether the model holds beyond the first."};
    }
    return {fit.most_ranks, sizes.back() * 2, "The largest messages tell most about gamma."};
}

}  // namespace

Expected<ContentionFit> fit_contention(std::span<const ContentionSample> samples, const PointToPoint& link) {
    if (const auto checked = check_input(samples, link); !checked) {
        return failure(checked.error());
    }
    const Regressors regressors(samples, link);
    ArrayXd log_seconds(regressors.count());
    ContentionFit fit;
    fit.link = link;
    fit.samples = samples.size();
    fit.fewest_ranks = samples.front().ranks;
    for (std::size_t row = 0; row < samples.size(); ++row) {
        log_seconds[static_cast<Eigen::Index>(row)] = std::log(samples[row].seconds);
        fit.fewest_ranks = std::min(fit.fewest_ranks, samples[row].ranks);
        fit.most_ranks = std::max(fit.most_ranks, samples[row].ranks);
    }
    fit.smallest_bytes = regressors.sizes.front();
    fit.largest_bytes = regressors.sizes.back();

    const Candidate plain = model::fit_plain(regressors, log_seconds);
    const std::vector<Candidate> profile = model::profile_thresholds(regressors, log_seconds);
    const Candidate* best = best_of(profile);
    const Candidate* chosen = &plain;
    if (best != nullptr) {
        fit.delta_probability = probability_without_delta(regressors, plain, likelihood_gain(plain, *best));
        if (fit.delta_probability <= level_of_delta && best->delta > 0) {
            chosen = best;
        }
    }
    std::vector<const Candidate*> plausible{&plain};
    if (chosen == best && best != nullptr) {
        plausible = plausible_thresholds(profile);
        fit.threshold = ThresholdInterval{std::numeric_limits<std::int64_t>::max(), 0};
        for (const Candidate* candidate : plausible) {
            fit.threshold->above = std::min(fit.threshold->above, regressors.sizes[*candidate->partition]);
            fit.threshold->up_to = std::max(fit.threshold->up_to, regressors.sizes[*candidate->partition + 1]);
        }
        fit.delta = interval_over(regressors, plausible, &Candidate::delta, 1);
    } else {
        fit.delta = {0, {0, std::numeric_limits<double>::infinity(), level}};
        if (best != nullptr) {
            const Candidate* first = &profile.front();
            fit.delta.interval.high = interval_over(regressors, {first}, &Candidate::delta, 1).interval.high;
        }
    }
    fit.gamma = interval_over(regressors, plausible, &Candidate::gamma, 0);
    const Eigen::Matrix2d covariance = covariance_of(regressors, *chosen);
    fit.variance_gamma = covariance(0, 0);
    fit.variance_delta = covariance(1, 1);
    fit.covariance = covariance(0, 1);
    fit.quantile = t_quantile(freedom(regressors, *chosen));
    fit.relative_deviation = std::sqrt(chosen->squares / freedom(regressors, *chosen));
    Remarks(regressors, log_seconds, samples, link, fit).add(*chosen);
    fit.next = next_measurement(fit, regressors);
    return fit;
}

std::optional<NextMeasurement> next_within(const ContentionFit& fit, Rank most_ranks, std::int64_t most_bytes) {
    constexpr Rank fewest_that_contend = 3;
    if (!fit.next) {
        return std::nullopt;
    }
    NextMeasurement next = *fit.next;
    next.message_bytes = std::min(next.message_bytes, most_bytes);
    if (next.ranks > most_ranks) {
        next.ranks = fit.most_ranks < most_ranks ? most_ranks : std::max(fit.fewest_ranks / 2, fewest_that_contend);
        if (next.ranks == fit.fewest_ranks) {
            return std::nullopt;
        }
    }
    return next;
}

Expected<PointToPoint> point_to_point_of(std::span<const ContentionSample> samples) {
    std::vector<ContentionSample> pairs;
    std::set<std::int64_t> sizes;
    for (const ContentionSample& sample : samples) {
        if (sample.ranks == 2) {
            pairs.push_back(sample);
            sizes.insert(sample.message_bytes);
        }
    }
    if (sizes.size() < 2) {
        return failure(fmt::format("alpha and beta are not given, and the samples of 2 ranks have {} message size{}",
                                   sizes.size(), sizes.size() == 1 ? "" : "s"),
                       "give --alpha and --beta, or samples of 2 ranks of at least two sizes");
    }
    // T = beta·m + alpha with errors relative to T: least squares on both sides divided by T.
    Eigen::Matrix2d matrix = Eigen::Matrix2d::Zero();
    Eigen::Vector2d right = Eigen::Vector2d::Zero();
    for (const ContentionSample& sample : pairs) {
        const Eigen::Vector2d row(1 / sample.seconds, static_cast<double>(sample.message_bytes) / sample.seconds);
        matrix += row * row.transpose();
        right += row;
    }
    const Eigen::Vector2d solution = matrix.fullPivLu().solve(right);
    if (!(solution[1] > 0)) {
        return failure("the samples of 2 ranks do not take longer for longer messages",
                       "give --alpha and --beta, or measure larger messages between 2 ranks");
    }
    return PointToPoint{std::max(solution[0], 0.0), solution[1]};
}

Estimate predict_seconds(const ContentionFit& fit, Rank ranks, std::int64_t message_bytes) {
    const double others = ranks - 1;
    const double slope = others * static_cast<double>(message_bytes) * fit.link.beta_seconds_per_byte;
    const bool with_delta = fit.threshold && message_bytes >= fit.threshold->up_to;
    const auto interval = [&](double step) {
        const double seconds = others * fit.link.alpha_seconds + fit.gamma.value * slope + fit.delta.value * step;
        const double variance =
            fit.variance_gamma * slope * slope + 2 * fit.covariance * slope * step + fit.variance_delta * step * step;
        const double reach =
            fit.quantile * std::sqrt(variance / (seconds * seconds) + fit.relative_deviation * fit.relative_deviation);
        return Estimate{seconds, {seconds * std::exp(-reach), seconds * std::exp(reach), level}};
    };
    Estimate estimate = interval(with_delta ? others : 0.0);
    // Between the sizes that enclose M it is not known whether delta is paid.
    if (fit.threshold && !with_delta && message_bytes > fit.threshold->above) {
        estimate.interval.high = interval(others).interval.high;
    }
    return estimate;
}

std::string extrapolation_remark(const ContentionFit& fit, Rank ranks, std::int64_t message_bytes) {
    if (ranks > fit.most_ranks) {
        return fmt::format(
            "{} ranks are more than the {} that were measured; if the network was not saturated there, it "
            "will take longer than predicted.",
            ranks, fit.most_ranks);
    }
    if (message_bytes > fit.largest_bytes || message_bytes < fit.smallest_bytes) {
        return fmt::format("{} is outside the sizes that were measured, {} to {}.", bytes_text(message_bytes),
                           fit.smallest_bytes, bytes_text(fit.largest_bytes));
    }
    if (ranks < fit.fewest_ranks) {
        return fmt::format(
            "{} ranks are fewer than the {} that were measured; they may not saturate the network, and take "
            "less time than predicted.",
            ranks, fit.fewest_ranks);
    }
    return {};
}

}  // namespace aapc
