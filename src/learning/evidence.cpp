#include "learning/evidence.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <span>

#include "aapc/input/statistics.hpp"
#include "learning/policy.hpp"

namespace aapc::learning {

namespace {

/// The middle value, of two middle ones the lower: accidents make calls longer and never shorter.
double lower_median_of(std::span<const double> values) {
    std::array<double, policy::samples_kept> copies{};
    const auto end = std::copy(values.begin(), values.end(), copies.begin());
    const auto middle = copies.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
    std::nth_element(copies.begin(), middle, end);
    return *middle;
}

/// As median(), without memory.
double median_of(std::span<const double> values) {
    std::array<double, policy::samples_kept> copies{};
    std::copy(values.begin(), values.end(), copies.begin());
    return median_in_place(std::span(copies).first(values.size()));
}

}  // namespace

void Evidence::reserve() { samples.reserve(policy::samples_kept); }

void Evidence::add(double seconds) {
    if (samples.size() >= policy::samples_kept) {
        samples.erase(samples.begin());
    }
    samples.push_back(seconds);
}

double Evidence::median_of_first(std::size_t count) const { return median_of(std::span(samples).first(count)); }

double Evidence::median_of_last(std::size_t count) const { return median_of(std::span(samples).last(count)); }

double Evidence::typical() const {
    constexpr std::size_t most = 7;
    const std::span recent = std::span(samples).last(std::min(samples.size(), most));
    const double accident = policy::accident * lower_median_of(recent);
    const auto is_accident = [accident](double one) { return one > accident; };
    const auto accidents = static_cast<std::size_t>(std::count_if(recent.begin(), recent.end(), is_accident));
    // What happens more often is no accident.
    const bool forgives = 3 * accidents <= recent.size();
    double sum = 0;
    for (const double one : recent) {
        sum += forgives && is_accident(one) ? 0 : one;
    }
    return sum / static_cast<double>(recent.size() - (forgives ? accidents : 0));
}

double Evidence::usual() const {
    if (samples.size() < policy::samples_of_a_mean) {
        return typical();
    }
    const double sum = std::accumulate(samples.begin(), samples.end(), 0.0);
    const double greatest = *std::max_element(samples.begin(), samples.end());
    return (sum - greatest) / static_cast<double>(samples.size() - 1);
}

double Evidence::spread() const {
    constexpr double standard_over_median_deviation = 1.48;
    constexpr double weight_of_prior = 2;
    const double middle = median_of(samples);
    std::array<double, policy::samples_kept> deviations{};
    std::transform(samples.begin(), samples.end(), deviations.begin(),
                   [middle](double one) { return std::abs(one - middle) / middle; });
    const auto count = static_cast<double>(samples.size());
    const double seen = standard_over_median_deviation * median_in_place(std::span(deviations).first(samples.size()));
    return (weight_of_prior * policy::prior_spread + count * seen) / (weight_of_prior + count);
}

bool Evidence::is_ahead_on_average_of(const Evidence& other) const {
    if (2 * samples.size() < policy::samples_of_a_mean || other.samples.size() < policy::samples_of_a_mean) {
        return false;
    }
    const double mean = std::accumulate(samples.begin(), samples.end(), 0.0) / static_cast<double>(samples.size());
    return mean * (1 + policy::least_lead) < other.usual();
}

}  // namespace aapc::learning
