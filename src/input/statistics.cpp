#include "aapc/input/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <utility>
#include <vector>

#include "input/enumerator_names.hpp"

namespace aapc {

namespace {

constexpr EnumeratorNames<Verdict, Verdict::undecided> verdict_names({
    {Verdict::faster, "faster"},
    {Verdict::slower, "slower"},
    {Verdict::undecided, "undecided"},
});

std::vector<double> sorted(std::span<const double> values) {
    std::vector<double> copy(values.begin(), values.end());
    std::sort(copy.begin(), copy.end());
    return copy;
}

double quantile_of_sorted(const std::vector<double>& values, double share) {
    const double place = share * static_cast<double>(values.size() - 1);
    const auto below = std::min(static_cast<std::size_t>(place), values.size() - 1);
    const std::size_t above = std::min(below + 1, values.size() - 1);
    const double rest = place - static_cast<double>(below);
    // Equal neighbours are not interpolated: rounding must not move a value that is there.
    return values[below] == values[above] ? values[below] : values[below] * (1 - rest) + values[above] * rest;
}

/// P(Binomial(trials, 1/2) = successes), by logarithms since 2^-trials may be too small for a double.
double binomial_half(std::size_t trials, std::size_t successes) {
    const auto n = static_cast<double>(trials);
    const auto k = static_cast<double>(successes);
    return std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) - n * std::numbers::ln2);
}

/// P(W = w) of Wilcoxon's signed-rank statistic of `count` values, for w from 0 to count·(count + 1)/2: every subset of
/// the ranks 1 … count is as likely as any other, and W is its sum.
std::vector<double> signed_rank_probabilities(std::size_t count) {
    std::vector<double> probabilities{1};
    for (std::size_t rank = 1; rank <= count; ++rank) {
        std::vector<double> with_rank(probabilities.size() + rank, 0.0);
        for (std::size_t sum = 0; sum < probabilities.size(); ++sum) {
            with_rank[sum] += probabilities[sum] / 2;
            with_rank[sum + rank] += probabilities[sum] / 2;
        }
        probabilities = std::move(with_rank);
    }
    return probabilities;
}

/// (a + b)/2 for all pairs of the values, each value with itself too, ascending.
std::vector<double> sorted_pair_means(const std::vector<double>& values) {
    std::vector<double> means;
    means.reserve(values.size() * (values.size() + 1) / 2);
    for (std::size_t first = 0; first < values.size(); ++first) {
        for (std::size_t second = first; second < values.size(); ++second) {
            means.push_back((values[first] + values[second]) / 2);
        }
    }
    std::sort(means.begin(), means.end());
    return means;
}

}  // namespace

double median(std::span<const double> values) {
    std::vector<double> copy(values.begin(), values.end());
    return median_in_place(copy);
}

double median_in_place(std::span<double> values) {
    const auto upper = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), upper, values.end());
    if (values.size() % 2 == 1) {
        return *upper;
    }
    const double lower = *std::max_element(values.begin(), upper);
    return lower + (*upper - lower) / 2;
}

double quantile(std::span<const double> values, double share) { return quantile_of_sorted(sorted(values), share); }

ConfidenceInterval median_interval(std::span<const double> values, double level) {
    const std::vector<double> ascending = sorted(values);
    const std::size_t count = ascending.size();
    // Leaving out the least and the greatest value once more costs what `outside` grows by.
    double outside = 2 * binomial_half(count, 0);
    std::size_t left_out = 0;
    while (2 * (left_out + 2) <= count) {
        const double with_one_more = outside + 2 * binomial_half(count, left_out + 1);
        if (1 - with_one_more < level) {
            break;
        }
        outside = with_one_more;
        ++left_out;
    }
    return {ascending[left_out], ascending[count - 1 - left_out], std::max(0.0, 1 - outside)};
}

Estimate estimate_median(std::span<const double> values, double level) {
    return {median(values), median_interval(values, level)};
}

double relative_spread(std::span<const double> values) {
    const std::vector<double> ascending = sorted(values);
    return (quantile_of_sorted(ascending, 0.75) - quantile_of_sorted(ascending, 0.25)) /
           quantile_of_sorted(ascending, 0.5);
}

double geometric_mean(std::span<const double> values) {
    double logarithms = 0;
    for (const double value : values) {
        logarithms += std::log(value);
    }
    return std::exp(logarithms / static_cast<double>(values.size()));
}

std::string_view to_string(Verdict verdict) { return verdict_names[verdict]; }

PairedComparison compare_pairs(std::span<const double> reference, std::span<const double> candidate, double level,
                               double margin) {
    std::vector<double> ratios(reference.size());
    std::transform(reference.begin(), reference.end(), candidate.begin(), ratios.begin(),
                   [](double first, double second) { return first / second; });
    PairedComparison comparison{estimate_median(ratios, level), Verdict::undecided};
    const ConfidenceInterval& interval = comparison.ratio.interval;
    if (interval.level >= level && interval.low > 1 + margin) {
        comparison.verdict = Verdict::faster;
    } else if (interval.level >= level && interval.high < 1 / (1 + margin)) {
        comparison.verdict = Verdict::slower;
    }
    return comparison;
}

Estimate paired_ratio(std::span<const double> reference, std::span<const double> candidate, double level) {
    std::vector<double> logarithms(reference.size());
    std::transform(reference.begin(), reference.end(), candidate.begin(), logarithms.begin(),
                   [](double first, double second) { return std::log(first / second); });
    const std::vector<double> means = sorted_pair_means(logarithms);
    const std::vector<double> probabilities = signed_rank_probabilities(logarithms.size());
    // As with the median: leaving out one more mean at either end costs what `outside` grows by.
    double outside = 2 * probabilities[0];
    std::size_t left_out = 0;
    while (2 * (left_out + 2) <= means.size() && 1 - outside - 2 * probabilities[left_out + 1] >= level) {
        ++left_out;
        outside += 2 * probabilities[left_out];
    }
    return {std::exp(median(means)),
            {std::exp(means[left_out]), std::exp(means[means.size() - 1 - left_out]), std::max(0.0, 1 - outside)}};
}

}  // namespace aapc
