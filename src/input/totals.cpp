#include "aapc/input/totals.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <vector>

namespace aapc {

double lower_median(std::span<const double> values) {
    std::vector<double> sorted(values.begin(), values.end());
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>((sorted.size() - 1) / 2);
    std::nth_element(sorted.begin(), middle, sorted.end());
    return *middle;
}

bool takes_longer_in_all(std::span<const double> reference, std::span<const double> candidate) {
    constexpr double deviations = 2;
    double sum = 0;
    double squares = 0;
    for (std::size_t pair = 0; pair < candidate.size(); ++pair) {
        const double longer = candidate[pair] - reference[pair];
        sum += longer;
        squares += longer * longer;
    }
    return sum > deviations * std::sqrt(squares);
}

double least_ratio_of_sums(std::span<const double> reference, std::span<const double> candidate) {
    const double all_of_reference = std::accumulate(reference.begin(), reference.end(), 0.0);
    const double all_of_candidate = std::accumulate(candidate.begin(), candidate.end(), 0.0);
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t pair = 0; pair < candidate.size(); ++pair) {
        least = std::min(least, (all_of_reference - reference[pair]) / (all_of_candidate - candidate[pair]));
    }
    return least;
}

}  // namespace aapc
