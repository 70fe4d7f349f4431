#include "learning/times.hpp"

#include <algorithm>
#include <numeric>

namespace aapc::learning {

namespace {

constexpr std::size_t samples_of_a_typical_time = 7;
constexpr double confidence = 0.9;

double mean(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// At least two values.
double mean_without_greatest(const std::vector<double>& values) {
    const double sum = std::accumulate(values.begin(), values.end(), 0.0);
    return (sum - *std::max_element(values.begin(), values.end())) / static_cast<double>(values.size() - 1);
}

}  // namespace

std::span<const double> latest(const std::vector<double>& values, std::size_t most) {
    return std::span(values).last(std::min(values.size(), most));
}

double typical(const std::vector<double>& values) { return lower_median(latest(values, samples_of_a_typical_time)); }

bool longer_in_all(const std::vector<double>& first, const std::vector<double>& second) {
    const std::size_t pairs = std::min(first.size(), second.size());
    return takes_longer_in_all(latest(first, pairs), latest(second, pairs));
}

bool ahead_on_average(const std::vector<double>& first, const std::vector<double>& second, std::size_t least_samples) {
    return first.size() >= least_samples && second.size() >= samples_of_a_mean &&
           mean(first) * noise_of_comparisons < mean_without_greatest(second);
}

Estimate ratio_of(const std::vector<double>& first, const std::vector<double>& second) {
    const std::size_t pairs = std::min(first.size(), second.size());
    return paired_ratio(latest(first, pairs), latest(second, pairs), confidence);
}

}  // namespace aapc::learning
