// The fit against data whose parameters are known: the paper's three networks, and data without a delta.
#include "aapc/offline/contention.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace aapc {
namespace {

using testing::AnyOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

struct Truth {
    const char* name;
    PointToPoint link;
    double gamma;
    double delta;
    std::int64_t threshold;
};

// Section V of the paper; alpha and beta are ours, of the networks' kind.
const Truth fast_ethernet{"Fast Ethernet", {60e-6, 8.0 / 95e6}, 1.0195, 8.23e-3, 2048};
const Truth gigabit{"Gigabit Ethernet", {50e-6, 8.0 / 940e6}, 4.3628, 4.93e-3, 8192};
const Truth myrinet{"Myrinet", {8e-6, 1 / 230e6}, 2.49754, 0, 0};

double model_seconds(const Truth& truth, Rank ranks, std::int64_t bytes) {
    const double step = truth.delta > 0 && bytes >= truth.threshold ? truth.delta : 0;
    return (ranks - 1) * (truth.link.alpha_seconds +
                          static_cast<double>(bytes) * truth.link.beta_seconds_per_byte * truth.gamma + step);
}

/// One measurement of each size and rank count, with relative noise.
std::vector<ContentionSample> draw(const Truth& truth, double noise, std::uint64_t seed,
                                   const std::vector<Rank>& rank_counts = {16, 24, 32, 40},
                                   const std::vector<std::int64_t>& sizes = {256, 1024, 1500, 4096, 16384, 65536,
                                                                             262144, 1048576}) {
    std::mt19937_64 generator(seed);
    std::normal_distribution<double> error(0, noise);
    std::vector<ContentionSample> samples;
    for (const Rank ranks : rank_counts) {
        for (const std::int64_t bytes : sizes) {
            samples.push_back({ranks, bytes, model_seconds(truth, ranks, bytes) * std::exp(error(generator))});
        }
    }
    return samples;
}

bool covers(const Estimate& estimate, double truth) {
    return estimate.interval.low <= truth && truth <= estimate.interval.high;
}

class ContentionFitOf : public testing::TestWithParam<Truth> {};

TEST_P(ContentionFitOf, KeepsThePromiseOfItsIntervals) {
    const Truth& truth = GetParam();
    constexpr int draws = 500;
    int gamma_covered = 0;
    int delta_covered = 0;
    int threshold_covered = 0;
    int with_delta = 0;
    for (std::uint64_t seed = 1; seed <= draws; ++seed) {
        const auto fit = fit_contention(draw(truth, 0.05, seed), truth.link);
        ASSERT_TRUE(fit.has_value()) << to_string(fit.error()) << ", seed " << seed;
        gamma_covered += covers(fit->gamma, truth.gamma) ? 1 : 0;
        delta_covered += covers(fit->delta, truth.delta) ? 1 : 0;
        with_delta += fit->delta.value > 0 ? 1 : 0;
        threshold_covered +=
            fit->threshold && fit->threshold->above < truth.threshold && truth.threshold <= fit->threshold->up_to ? 1
                                                                                                                  : 0;
        EXPECT_EQ(fit->threshold.has_value(), fit->delta.value > 0) << "seed " << seed;
    }
    RecordProperty("gamma_covered", gamma_covered);
    RecordProperty("delta_covered", delta_covered);
    RecordProperty("with_delta", with_delta);
    fmt::print("{}: of {} draws, gamma covered {}, delta {}, M {}; a delta seen in {}\n", truth.name, draws,
               gamma_covered, delta_covered, threshold_covered, with_delta);
    EXPECT_THAT(gamma_covered, testing::AllOf(testing::Ge(draws * 90 / 100), testing::Le(draws * 99 / 100)));
    if (truth.delta > 0) {
        EXPECT_THAT(delta_covered, testing::AllOf(testing::Ge(draws * 90 / 100), testing::Le(draws * 99 / 100)));
        EXPECT_EQ(with_delta, draws);
        EXPECT_EQ(threshold_covered, draws);
    } else {
        EXPECT_LE(with_delta, draws * 5 / 100);
    }
}

INSTANTIATE_TEST_SUITE_P(Networks, ContentionFitOf, testing::Values(fast_ethernet, gigabit, myrinet),
                         [](const testing::TestParamInfo<Truth>& row) {
                             std::string name = row.param.name;
                             std::erase(name, ' ');
                             return name;
                         });

// A small delta, which noise can hide: the interval of M must then grow rather than lie.
TEST(ContentionFit, FaintDelta) {
    Truth truth = gigabit;
    truth.delta = 60e-6;
    int seen = 0;
    int threshold_covered = 0;
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        const auto fit = fit_contention(draw(truth, 0.05, seed), truth.link);
        ASSERT_TRUE(fit.has_value());
        if (fit->threshold) {
            ++seen;
            threshold_covered +=
                fit->threshold->above < truth.threshold && truth.threshold <= fit->threshold->up_to ? 1 : 0;
        }
    }
    ASSERT_GT(seen, 20);
    EXPECT_GE(threshold_covered, seen * 95 / 100) << "of " << seen;
}

TEST(ContentionFit, WithoutNoiseFindsTheParameters) {
    for (const Truth& truth : {fast_ethernet, gigabit, myrinet}) {
        const auto fit = fit_contention(draw(truth, 0, 1), truth.link);
        ASSERT_TRUE(fit.has_value());
        EXPECT_NEAR(fit->gamma.value, truth.gamma, 1e-6 * truth.gamma) << truth.name;
        EXPECT_NEAR(fit->delta.value, truth.delta, 1e-6 * truth.delta) << truth.name;
        const Estimate predicted = predict_seconds(*fit, 100, 1 << 22);
        EXPECT_NEAR(predicted.value, model_seconds(truth, 100, 1 << 22), 1e-5 * predicted.value);
        EXPECT_THAT(extrapolation_remark(*fit, 100, 65536), HasSubstr("100 ranks are more than the 40"));
        EXPECT_THAT(extrapolation_remark(*fit, 40, 65536), IsEmpty());
        EXPECT_THAT(extrapolation_remark(*fit, 40, 100), HasSubstr("outside the sizes"));
        EXPECT_THAT(extrapolation_remark(*fit, 8, 65536), HasSubstr("fewer"));
    }
}

// Fitted at some rank counts, asked for another: the use of the model.
TEST(ContentionFit, HoldsOutRankCounts) {
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
        const auto fit = fit_contention(draw(gigabit, 0.04, seed, {16, 24}), gigabit.link);
        ASSERT_TRUE(fit.has_value());
        for (const std::int64_t bytes : {1024, 65536, 1048576}) {
            const Estimate predicted = predict_seconds(*fit, 40, bytes);
            const double truth = model_seconds(gigabit, 40, bytes);
            EXPECT_NEAR(predicted.value, truth, 0.06 * truth) << "seed " << seed << ", " << bytes;
            EXPECT_TRUE(covers(predicted, truth)) << "seed " << seed << ", " << bytes;
        }
    }
}

TEST(ContentionFit, BetweenTheSizesAroundTheThresholdBothAnswersStand) {
    const auto fit = fit_contention(draw(gigabit, 0.02, 3), gigabit.link);
    ASSERT_TRUE(fit && fit->threshold);
    const Estimate between = predict_seconds(*fit, 40, 6000);
    EXPECT_LT(between.interval.low, model_seconds(gigabit, 40, 6000));
    EXPECT_GT(between.interval.high, model_seconds(gigabit, 40, 6000) + 39 * gigabit.delta);
}

// ---- what the data cannot tell ----

TEST(ContentionRemarks, NoSizeBelowTheThreshold) {
    const auto fit = fit_contention(draw(gigabit, 0.02, 1, {16, 40}, {16384, 65536, 262144, 1048576}), gigabit.link);
    ASSERT_TRUE(fit.has_value());
    EXPECT_THAT(fit->remarks, Contains(HasSubstr("error in alpha; measure smaller messages")));
}

TEST(ContentionRemarks, OneSizeAboveTheThreshold) {
    const auto fit = fit_contention(draw(gigabit, 0.02, 1, {16, 40}, {256, 1024, 4096, 16384}), gigabit.link);
    ASSERT_TRUE(fit.has_value());
    EXPECT_THAT(fit->remarks, Contains(HasSubstr("Only the largest size, 16384 bytes")));
}

TEST(ContentionRemarks, OneNumberOfRanks) {
    const auto fit = fit_contention(draw(gigabit, 0.02, 1, {24}), gigabit.link);
    ASSERT_TRUE(fit.has_value());
    EXPECT_THAT(fit->remarks, Contains(HasSubstr("All samples have 24 ranks")));
}

TEST(ContentionRemarks, TwoSizes) {
    const auto fit = fit_contention(draw(myrinet, 0.02, 1, {16, 24}, {1024, 65536}), myrinet.link);
    ASSERT_TRUE(fit.has_value());
    EXPECT_THAT(fit->remarks, Contains(HasSubstr("2 message sizes were measured")));
    EXPECT_FALSE(std::isfinite(fit->delta.interval.high));
}

// The paper's Myrinet: gamma 2.5 up to 24 ranks, 4 from 40 on.
TEST(ContentionRemarks, AnUnsaturatedNetworkIsNoticed) {
    std::vector<ContentionSample> samples = draw(myrinet, 0.03, 5, {16, 24});
    Truth saturated = myrinet;
    saturated.gamma = 4;
    const auto more = draw(saturated, 0.03, 6, {40, 48});
    samples.insert(samples.end(), more.begin(), more.end());
    const auto fit = fit_contention(samples, myrinet.link);
    ASSERT_TRUE(fit.has_value());
    EXPECT_THAT(fit->remarks, Contains(HasSubstr("Gamma grows with the number of ranks")));
}

TEST(ContentionRemarks, GoodDataRaiseNone) {
    const auto fit = fit_contention(draw(gigabit, 0.03, 11), gigabit.link);
    ASSERT_TRUE(fit.has_value());
    EXPECT_THAT(fit->remarks, IsEmpty());
}

// Following the advice closes in on M.
TEST(NextMeasurement, BisectsTheThreshold) {
    std::vector<ContentionSample> samples = draw(gigabit, 0.02, 1, {16, 40}, {1024, 4096, 65536, 262144});
    std::mt19937_64 generator(9);
    std::normal_distribution<double> error(0, 0.02);
    for (int round = 0; round < 6; ++round) {
        const auto fit = fit_contention(samples, gigabit.link);
        ASSERT_TRUE(fit && fit->threshold && fit->next);
        EXPECT_LT(fit->threshold->above, gigabit.threshold);
        EXPECT_LE(gigabit.threshold, fit->threshold->up_to);
        const double ratio = static_cast<double>(fit->threshold->up_to) / static_cast<double>(fit->threshold->above);
        if (ratio < 1.13) {
            return;
        }
        const NextMeasurement& next = *fit->next;
        samples.push_back({next.ranks, next.message_bytes,
                           model_seconds(gigabit, next.ranks, next.message_bytes) * std::exp(error(generator))});
    }
    FAIL() << "M is not enclosed after six measurements";
}

// Several sizes may lie where M may: what was measured already, the middle of them all for one, would tell nothing new.
TEST(NextMeasurement, IsNeverOneThatWasMade) {
    std::size_t several = 0;
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        const auto samples = draw(gigabit, 0.3, seed, {16, 40}, {64, 512, 4096, 32768, 262144});
        const auto fit = fit_contention(samples, gigabit.link);
        ASSERT_TRUE(fit && fit->next) << "seed " << seed;
        several += fit->threshold && fit->threshold->up_to > 8 * fit->threshold->above ? 1U : 0U;
        EXPECT_TRUE(std::none_of(samples.begin(), samples.end(),
                                 [&](const ContentionSample& sample) {
                                     return sample.ranks == fit->next->ranks &&
                                            sample.message_bytes == fit->next->message_bytes;
                                 }))
            << "seed " << seed << ": " << fit->next->message_bytes << " bytes. " << fit->next->why;
    }
    EXPECT_GT(several, 0U) << "of no seed M lies in an interval with a size inside";
}

// ---- input ----

TEST(ContentionFit, RefusesWhatIsNoMeasurement) {
    const std::vector<ContentionSample> good = draw(myrinet, 0.01, 1);
    EXPECT_FALSE(fit_contention(std::span(good).first(2), myrinet.link));
    EXPECT_FALSE(fit_contention(good, {1e-6, 0}));
    EXPECT_FALSE(fit_contention(good, {-1e-6, 1e-9}));
    for (const ContentionSample& bad : {ContentionSample{1, 100, 0.1}, ContentionSample{4, 0, 0.1},
                                        ContentionSample{4, 100, 0}, ContentionSample{4, 100, std::nan("")}}) {
        std::vector<ContentionSample> samples = good;
        samples.push_back(bad);
        EXPECT_FALSE(fit_contention(samples, myrinet.link));
    }
}

TEST(PointToPointOf, ComesFromTwoRanks) {
    const Truth truth{"", {70e-6, 1e-8}, 1, 0, 0};
    const auto link = point_to_point_of(draw(truth, 0.001, 1, {2, 16}));
    ASSERT_TRUE(link.has_value()) << to_string(link.error());
    EXPECT_NEAR(link->alpha_seconds, 70e-6, 1e-6);
    EXPECT_NEAR(link->beta_seconds_per_byte, 1e-8, 1e-10);
    EXPECT_FALSE(point_to_point_of(draw(truth, 0.001, 1, {16})));
    EXPECT_FALSE(point_to_point_of(draw(truth, 0.001, 1, {2}, {1024})));
}

}  // namespace
}  // namespace aapc
