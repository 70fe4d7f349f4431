#include "aapc/input/statistics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "aapc/input/totals.hpp"

namespace aapc {
namespace {

using testing::DoubleNear;

TEST(Median, IsTheMiddle) {
    EXPECT_EQ(median(std::vector{3.0}), 3.0);
    EXPECT_EQ(median(std::vector{4.0, 1.0}), 2.5);
    EXPECT_EQ(median(std::vector{5.0, 1.0, 4.0}), 4.0);
    EXPECT_EQ(median(std::vector{9.0, 1.0, 5.0, 3.0}), 4.0);
    EXPECT_EQ(median(std::vector{1e308, 1e308}), 1e308) << "the sum of the middle two does not fit into a double";
}

TEST(Quantile, InterpolatesBetweenNeighbours) {
    const std::vector<double> values = {40, 10, 30, 20};
    EXPECT_EQ(quantile(values, 0), 10);
    EXPECT_EQ(quantile(values, 1), 40);
    EXPECT_EQ(quantile(values, 0.5), 25);
    EXPECT_DOUBLE_EQ(quantile(values, 0.25), 17.5);  // numpy.quantile([10, 20, 30, 40], 0.25)
    EXPECT_DOUBLE_EQ(quantile(values, 0.9), 37.0);
    EXPECT_EQ(quantile(std::vector{7.0}, 0.3), 7.0);
}

TEST(Quantile, AgreesWithTheMedian) {
    std::mt19937_64 random(1);
    std::lognormal_distribution<double> distribution(0, 1);
    std::vector<double> values;
    for (int count = 1; count <= 60; ++count) {
        values.push_back(distribution(random));
        EXPECT_NEAR(quantile(values, 0.5), median(values), 1e-15 + median(values) * 1e-14)
            << count << " values, seed 1";
    }
}

TEST(MedianInterval, TakesTheRanksOfTheTables) {
    // 1 - 2·Σ C(n, i)/2^n for i < k, in whole numbers (the ranks are those of Conover 1999, table A3).
    struct Row {
        int values;
        int k;
        double level;
    };
    for (const Row& row :
         {Row{6, 1, 0.96875}, Row{8, 1, 0.9921875}, Row{9, 2, 0.9609375}, Row{10, 2, 0.978515625},
          Row{12, 3, 0.961425781}, Row{20, 6, 0.958610535}, Row{25, 8, 0.956714749}, Row{30, 10, 0.957226055}}) {
        std::vector<double> values(static_cast<std::size_t>(row.values));
        for (int index = 0; index < row.values; ++index) {
            values[static_cast<std::size_t>(index)] = row.values - index;  // n … 1
        }
        const ConfidenceInterval interval = median_interval(values);
        EXPECT_EQ(interval.low, row.k) << row.values;
        EXPECT_EQ(interval.high, row.values + 1 - row.k) << row.values;
        EXPECT_NEAR(interval.level, row.level, 1e-8) << row.values;
    }
}

TEST(MedianInterval, IsTheWholeRangeForFewValuesAndSaysSo) {
    const ConfidenceInterval one = median_interval(std::vector{2.0});
    EXPECT_EQ(one, (ConfidenceInterval{2, 2, 0}));
    const ConfidenceInterval two = median_interval(std::vector{2.0, 1.0});
    EXPECT_EQ(two.low, 1);
    EXPECT_EQ(two.high, 2);
    EXPECT_NEAR(two.level, 0.5, 1e-12);
    const ConfidenceInterval five = median_interval(std::vector{5.0, 1.0, 2.0, 4.0, 3.0});
    EXPECT_EQ(five.low, 1);
    EXPECT_EQ(five.high, 5);
    EXPECT_NEAR(five.level, 0.9375, 1e-12);
}

TEST(MedianInterval, NarrowsByAnyLevelAndHoldsTheMedian) {
    std::mt19937_64 random(2);
    std::uniform_real_distribution<double> distribution(0, 1);
    std::vector<double> values;
    for (int count = 1; count <= 300; ++count) {
        values.push_back(distribution(random));
        double width_before = 0;
        for (const double level : {0.01, 0.5, 0.9, 0.95, 0.999}) {
            const ConfidenceInterval interval = median_interval(values, level);
            const std::string what = std::to_string(count) + " values, level " + std::to_string(level) + ", seed 2";
            EXPECT_LE(interval.low, median(values)) << what;
            EXPECT_GE(interval.high, median(values)) << what;
            EXPECT_GE(interval.high - interval.low, width_before) << what;
            EXPECT_TRUE(interval.level >= level || interval.low == quantile(values, 0)) << what;
            width_before = interval.high - interval.low;
        }
    }
}

TEST(MedianInterval, HoldsForManyValues) {
    // 2^-5000 is no double. Normal approximation: k ≈ n/2 - 0.98·√n.
    std::vector<double> values(5000);
    for (std::size_t index = 0; index < values.size(); ++index) {
        values[index] = static_cast<double>(index + 1);
    }
    const ConfidenceInterval interval = median_interval(values);
    EXPECT_NEAR(interval.low, 2500 - 0.98 * std::sqrt(5000.0), 2);
    EXPECT_EQ(interval.low + interval.high, 5001);
    EXPECT_THAT(interval.level, testing::AllOf(testing::Ge(0.95), testing::Le(0.952)));
}

/// A distribution with its true median.
struct Distribution {
    const char* name;
    std::function<double(std::mt19937_64&)> draw;
    double median;
};

std::vector<Distribution> distributions() {
    const auto uniform = [](std::mt19937_64& random) { return std::uniform_real_distribution<double>(0, 1)(random); };
    return {
        {"uniform", uniform, 0.5},
        {"exponential", [](auto& random) { return std::exponential_distribution<double>(1)(random); }, std::log(2.0)},
        {"log-normal", [](auto& random) { return std::lognormal_distribution<double>(0, 1.5)(random); }, 1},
        // No mean and no variance.
        {"Pareto, 0.8", [uniform](auto& random) { return std::pow(1 - uniform(random), -1 / 0.8); },
         std::pow(2.0, 1 / 0.8)},
        // What the lab shows: mostly close together, one in eight behind a retransmission of 200 ms.
        {"time-outs",
         [uniform](auto& random) { return 1 + 0.1 * uniform(random) + (uniform(random) < 0.125 ? 20 : 0); },
         1 + 0.1 * 0.5 / 0.875},
    };
}

TEST(MedianInterval, CoversTheTrueMedianAsOftenAsItSays) {
    constexpr int trials = 4000;
    for (const Distribution& distribution : distributions()) {
        for (const int count : {3, 6, 7, 12, 25}) {
            constexpr unsigned seed = 20260101;
            std::mt19937_64 random(seed);
            int covered = 0;
            double level = 0;
            for (int trial = 0; trial < trials; ++trial) {
                std::vector<double> values(static_cast<std::size_t>(count));
                std::generate(values.begin(), values.end(), [&] { return distribution.draw(random); });
                const ConfidenceInterval interval = median_interval(values);
                covered += interval.low <= distribution.median && distribution.median <= interval.high ? 1 : 0;
                level = interval.level;
            }
            const double deviation = std::sqrt(level * (1 - level) / trials);
            EXPECT_THAT(static_cast<double>(covered) / trials, DoubleNear(level, 4 * deviation))
                << distribution.name << ", " << count << " values, seed " << seed;
        }
    }
}

TEST(MedianInterval, CoversAtLeastAsOftenWhereValuesRepeat) {
    constexpr unsigned seed = 7;
    std::mt19937_64 random(seed);
    std::uniform_int_distribution<int> dice(1, 5);  // median 3
    int covered = 0;
    for (int trial = 0; trial < 2000; ++trial) {
        std::vector<double> values(9);
        std::generate(values.begin(), values.end(), [&] { return dice(random); });
        const ConfidenceInterval interval = median_interval(values);
        covered += interval.low <= 3 && 3 <= interval.high ? 1 : 0;
    }
    EXPECT_GE(covered, 1920) << "seed " << seed;
}

TEST(RelativeSpread, IsTheMiddleHalfOverTheMedian) {
    EXPECT_DOUBLE_EQ(relative_spread(std::vector{1.0, 2.0, 3.0, 4.0, 5.0}), 2.0 / 3);
    EXPECT_EQ(relative_spread(std::vector{4.0}), 0);
    EXPECT_EQ(relative_spread(std::vector{4.0, 4.0, 4.0, 4.0, 4000.0}), 0) << "one outlier says nothing";
}

TEST(GeometricMean, MultipliesRatios) {
    EXPECT_DOUBLE_EQ(geometric_mean(std::vector{2.0, 0.5}), 1);
    EXPECT_DOUBLE_EQ(geometric_mean(std::vector{1.0, 10.0, 100.0}), 10);
    EXPECT_NEAR(geometric_mean(std::vector<double>(2000, 1e300)), 1e300, 1e289) << "the product is no double";
}

TEST(ComparePairs, SaysWhoIsFaster) {
    const std::vector<double> reference = {2, 4, 6, 8, 10, 12};
    const std::vector<double> half = {1, 2, 3, 4, 5, 6};
    const PairedComparison comparison = compare_pairs(reference, half);
    EXPECT_EQ(comparison.ratio.value, 2);
    EXPECT_EQ(comparison.ratio.interval.low, 2);
    EXPECT_EQ(comparison.ratio.interval.high, 2);
    EXPECT_EQ(comparison.verdict, Verdict::faster);
    EXPECT_EQ(compare_pairs(half, reference).verdict, Verdict::slower);
    EXPECT_EQ(compare_pairs(half, half).verdict, Verdict::undecided);
}

TEST(ComparePairs, DecidesNothingOnFewPairs) {
    const std::vector<double> slow(5, 10.0);
    const std::vector<double> fast(5, 1.0);
    EXPECT_EQ(compare_pairs(slow, fast).verdict, Verdict::undecided);
    EXPECT_EQ(compare_pairs(slow, fast, 0.9).verdict, Verdict::faster);
    EXPECT_EQ(compare_pairs(std::vector{10.0}, std::vector{1.0}, 0.01).verdict, Verdict::undecided);
}

TEST(ComparePairs, KeepsTheMargin) {
    const std::vector<double> reference(8, 1.02);
    const std::vector<double> candidate(8, 1.0);
    EXPECT_EQ(compare_pairs(reference, candidate, 0.95, 0.01).verdict, Verdict::faster);
    EXPECT_EQ(compare_pairs(reference, candidate, 0.95, 0.03).verdict, Verdict::undecided);
    EXPECT_EQ(compare_pairs(candidate, reference, 0.95, 0.01).verdict, Verdict::slower);
    EXPECT_EQ(compare_pairs(candidate, reference, 0.95, 0.03).verdict, Verdict::undecided);
}

/// Two series under the same slow spells: a random walk over a factor of some three, and log-normal noise.
struct Series {
    std::vector<double> reference;
    std::vector<double> candidate;
};

Series drifting(std::mt19937_64& random, int pairs, double candidate_factor) {
    std::normal_distribution<double> normal(0, 1);
    Series series;
    double spell = 0;
    for (int pair = 0; pair < pairs; ++pair) {
        spell = 0.9 * spell + 0.3 * normal(random);
        series.reference.push_back(std::exp(spell + 0.03 * normal(random)));
        series.candidate.push_back(std::exp(spell + 0.03 * normal(random)) * candidate_factor);
    }
    return series;
}

TEST(ComparePairs, IsSeldomWrongAndSeesTenPercentThroughDrift) {
    constexpr unsigned seed = 11;
    std::mt19937_64 random(seed);
    constexpr int trials = 2000;
    int wrong = 0;
    int seen = 0;
    int unpaired = 0;
    for (int trial = 0; trial < trials; ++trial) {
        const Series equal = drifting(random, 12, 1);
        wrong += compare_pairs(equal.reference, equal.candidate).verdict != Verdict::undecided ? 1 : 0;
        const Series faster = drifting(random, 12, 0.9);
        seen += compare_pairs(faster.reference, faster.candidate).verdict == Verdict::faster ? 1 : 0;
        unpaired += median_interval(faster.candidate).high < median_interval(faster.reference).low ? 1 : 0;
    }
    EXPECT_LE(wrong, trials / 20) << "seed " << seed;
    EXPECT_GE(seen, trials * 95 / 100) << "seed " << seed;
    EXPECT_LE(unpaired, trials / 20) << "pairs are what makes the difference; seed " << seed;
}

TEST(PairedRatio, LeavesOutAsManyPairMeansAsTheTablesOfTheSignedRankTestSay) {
    struct Case {
        std::size_t pairs;
        double level;
        std::size_t critical;  // largest W with 2·P(W <= critical) <= 1 - level, as printed in textbooks
    };
    // For 7 pairs and 0.99 there is none: the interval is the whole range.
    for (const Case& one : {Case{6, 0.95, 0}, Case{8, 0.95, 3}, Case{10, 0.95, 8}, Case{12, 0.95, 13}, Case{8, 0.99, 0},
                            Case{10, 0.99, 3}, Case{12, 0.99, 7}, Case{20, 0.99, 37}}) {
        std::vector<double> reference;
        std::vector<double> means;
        for (std::size_t pair = 0; pair < one.pairs; ++pair) {
            reference.push_back(std::exp(std::ldexp(1.0, -static_cast<int>(pair))));
            for (std::size_t other = 0; other <= pair; ++other) {
                means.push_back((std::ldexp(1.0, -static_cast<int>(pair)) + std::ldexp(1.0, -static_cast<int>(other))) /
                                2);
            }
        }
        std::sort(means.begin(), means.end());
        const Estimate ratio = paired_ratio(reference, std::vector<double>(one.pairs, 1.0), one.level);
        EXPECT_THAT(std::log(ratio.interval.low), DoubleNear(means[one.critical], 1e-12)) << one.pairs << " pairs";
        EXPECT_THAT(std::log(ratio.interval.high), DoubleNear(means[means.size() - 1 - one.critical], 1e-12))
            << one.pairs << " pairs";
        EXPECT_GE(ratio.interval.level, one.level) << one.pairs << " pairs";
    }
}

TEST(PairedRatio, IsTheWholeRangeForFewPairsAndSaysSo) {
    const std::vector<double> candidate(7, 1.0);
    const std::vector<double> reference{1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7};
    const Estimate ratio = paired_ratio(reference, candidate, 0.99);
    EXPECT_THAT(ratio.interval.low, DoubleNear(1.1, 1e-12));
    EXPECT_THAT(ratio.interval.high, DoubleNear(1.7, 1e-12));
    EXPECT_THAT(ratio.interval.level, DoubleNear(1 - 2.0 / 128, 1e-12));
    const Estimate single = paired_ratio(std::vector{3.0}, std::vector{2.0});
    EXPECT_THAT(single.value, DoubleNear(1.5, 1e-12));
    EXPECT_EQ(single.interval.level, 0);
}

TEST(PairedRatio, CoversAsOftenAsItSaysAndSeesSevenPercentWhereTheMedianDoesNot) {
    constexpr unsigned seed = 19;
    std::mt19937_64 random(seed);
    constexpr int trials = 4000;
    constexpr double level = 0.99;
    int covered = 0;
    int seen = 0;
    int seen_by_median = 0;
    double achieved = 0;
    for (int trial = 0; trial < trials; ++trial) {
        const Series series = drifting(random, 10, 1 / 1.07);
        const Estimate ratio = paired_ratio(series.reference, series.candidate, level);
        achieved = ratio.interval.level;
        covered += ratio.interval.low <= 1.07 && 1.07 <= ratio.interval.high ? 1 : 0;
        seen += ratio.interval.low > 1 ? 1 : 0;
        seen_by_median += compare_pairs(series.reference, series.candidate, level).verdict == Verdict::faster ? 1 : 0;
    }
    EXPECT_THAT(static_cast<double>(covered) / trials,
                DoubleNear(achieved, 4 * std::sqrt(achieved * (1 - achieved) / trials)))
        << "seed " << seed;
    EXPECT_GT(seen, seen_by_median * 3 / 2) << "seed " << seed;
}

TEST(Verdict, HasNames) {
    EXPECT_EQ(to_string(Verdict::faster), "faster");
    EXPECT_EQ(to_string(Verdict::slower), "slower");
    EXPECT_EQ(to_string(Verdict::undecided), "undecided");
}

TEST(Totals, OfTwoMiddleValuesTheLower) {
    EXPECT_EQ(lower_median(std::vector<double>{3, 1, 2}), 2);
    EXPECT_EQ(lower_median(std::vector<double>{4, 1, 3, 2}), 2);
}

/// `rounds` pairs of 1 and 0.9; every so many calls the candidate takes 5.
std::vector<double> with_slow_calls(std::size_t rounds, std::size_t every) {
    std::vector<double> times(rounds, 0.9);
    for (std::size_t call = every; call <= rounds; call += every) {
        times[call - 1] = 5;
    }
    return times;
}

TEST(Totals, ASlowCallInEightIsLongerInAllAndOneAccidentIsNot) {
    const std::vector<double> reference(60, 1.0);
    EXPECT_TRUE(takes_longer_in_all(reference, with_slow_calls(60, 8)));
    EXPECT_FALSE(takes_longer_in_all(reference, with_slow_calls(60, 50)));
    EXPECT_FALSE(takes_longer_in_all(with_slow_calls(60, 7), with_slow_calls(60, 9)));
    EXPECT_FALSE(takes_longer_in_all(reference, reference));
}

TEST(Totals, TheLeastRatioLeavesOutWhatSpeaksForTheCandidate) {
    const std::vector<double> reference = {2, 2, 10};
    const std::vector<double> candidate = {1, 1, 1};
    EXPECT_DOUBLE_EQ(least_ratio_of_sums(reference, candidate), 2);
}

}  // namespace
}  // namespace aapc
