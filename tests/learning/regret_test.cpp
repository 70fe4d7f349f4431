// The promises of learning, on programs whose times are made up: against the better of the MPI's own and the best
// single candidate over the same calls.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "learning/sequences.hpp"
#include "learning/simulated.hpp"

namespace aapc::learning {
namespace {

using Seconds = std::vector<double>;

/// The first is the MPI's own.
const std::vector<Seconds> own_is_best = {
    {1e-2, 1.05e-2}, {1e-2, 1.5e-2}, {1e-2, 2e-2}, {1e-2, 1.3e-2, 1.1e-2}, {1e-2, 1.4e-2, 1.2e-2, 1.9e-2}};
const std::vector<Seconds> own_is_worst = {
    {1e-2, 0.9e-2}, {1e-2, 0.6e-2}, {1e-2, 0.5e-2}, {1e-2, 0.7e-2, 0.85e-2}, {1e-2, 0.9e-2, 0.7e-2}};

std::vector<Seconds> all_cases() {
    std::vector<Seconds> all = own_is_best;
    all.insert(all.end(), own_is_worst.begin(), own_is_worst.end());
    all.push_back({1e-2, 0.8e-2, 1.5e-2, 0.9e-2});
    return all;
}

/// Exchanges that are known to take long: five times the seconds. An agreement before them is nothing.
World long_calls(const Seconds& seconds, double spread = 0, std::uint64_t seed = 1) {
    constexpr double longer = 5;
    World world = steady(seconds, spread, seed);
    world.time_of = [of = world.time_of](std::int64_t size, int call, std::size_t one) {
        return longer * of(size, call, one);
    };
    world.agreement_seconds = longer * 2e-5;
    world.least_seconds = [](std::int64_t) { return longer * 0.0051; };
    return world;
}

std::string text(const Seconds& seconds) { return fmt::format("{}", fmt::join(seconds, ", ")); }

/// Mean over programs that differ by chance alone.
double mean_regret(const Seconds& seconds, double spread, int calls) {
    constexpr int programs = 12;
    double sum = 0;
    for (int seed = 1; seed <= programs; ++seed) {
        sum += run(long_calls(seconds, spread, static_cast<std::uint64_t>(seed)), calls).regret();
    }
    return sum / programs;
}

TEST(Regret, ThreeCallsAreTheMpisOwn) {
    for (const Seconds& seconds : all_cases()) {
        const Outcome outcome = run(long_calls(seconds), 3);
        EXPECT_THAT(outcome.served, testing::Each(0U)) << text(seconds);
        EXPECT_LE(outcome.seconds, 1.02 * outcome.by_one[0]) << text(seconds);
    }
}

TEST(Regret, TenCallsLoseATenthAtMostWhereTheMpisOwnIsBest) {
    for (const Seconds& seconds : own_is_best) {
        EXPECT_LE(run(long_calls(seconds), 10).regret(), 1.10 * 1.01) << text(seconds);
        EXPECT_LE(run(steady(seconds), 10).regret(), 1.10 * 1.01) << text(seconds);
    }
}

TEST(Regret, TenCallsHaveHalfOfTheGainWhereTheMpisOwnIsWorst) {
    for (const Seconds& seconds : own_is_worst) {
        const Outcome outcome = run(long_calls(seconds), 10);
        const double best = *std::min_element(outcome.by_one.begin(), outcome.by_one.end());
        EXPECT_GE((outcome.by_one[0] - outcome.seconds) / (outcome.by_one[0] - best), 0.5) << text(seconds);
    }
}

TEST(Regret, AHundredCallsAreWithinFivePercentAndAThousandWithinTwo) {
    for (const Seconds& seconds : all_cases()) {
        EXPECT_LE(run(long_calls(seconds), 100).regret(), 1.05 * 1.002) << text(seconds);
        EXPECT_LE(run(long_calls(seconds), 1000).regret(), 1.02) << text(seconds);
    }
}

TEST(Regret, ShorterCallsCostNothingUntilTheyAreMany) {
    for (const Seconds& seconds : all_cases()) {
        World world = steady(seconds);
        world.agreement_seconds = 1e-3;
        world.set_up_seconds = 1e-2;
        world.least_seconds = [](std::int64_t) { return 0.0045; };
        EXPECT_EQ(run(world, 3).agreements, 0) << text(seconds);
        EXPECT_LE(run(world, 10).seconds, 1.05 * run(world, 10).by_one[0]) << text(seconds);
        EXPECT_LE(run(world, 100).seconds, 1.05 * run(world, 100).by_one[0]) << text(seconds);
        EXPECT_LE(run(world, 1000).regret(), 1.07) << text(seconds);
    }
}

TEST(Regret, NobodyIsTriedWhoCannotGainWhatTryingCosts) {
    constexpr int programs = 20;
    for (const double seconds : {4e-3, 1e-2}) {
        int without_a_try = 0;
        for (int seed = 1; seed <= programs; ++seed) {
            World world = steady({seconds, seconds}, 0.02, static_cast<std::uint64_t>(seed));
            world.agreement_seconds = 1e-3;
            world.set_up_seconds = seconds;
            world.least_seconds = [=](std::int64_t) { return 0.95 * seconds; };
            world.candidate_takes_more_seconds = 0.04 * seconds;
            const Outcome outcome = run(world, 1000);
            const bool nobody = std::count(outcome.served.begin(), outcome.served.end(), 0U) == 1000;
            without_a_try += nobody ? 1 : 0;
            EXPECT_LE(outcome.agreements, nobody ? 30 : 100) << seed;
            EXPECT_LE(outcome.regret(), 1.012) << seed;
        }
        // In the others the MPI's own was slow by chance when it was looked at.
        EXPECT_GE(without_a_try, programs * 3 / 4) << seconds;
    }
}

/// A program whose ranks are in so many communicators of the same kind, each of which tries by itself: rows of a grid.
/// All of them wait for the slowest in every call. Its time, against that of native calls alone.
double regret_beside_each_other(int communicators, double share_of_ranks, int calls, std::uint64_t seed) {
    const Seconds seconds{0.05, 0.06, 0.07, 0.065};
    constexpr double spread = 0.15;
    std::vector<double> took(static_cast<std::size_t>(calls));
    std::vector<double> native(took.size());
    for (int one = 0; one < communicators; ++one) {
        World world = steady(seconds, spread, 100 * seed + static_cast<std::uint64_t>(one));
        world.agreement_seconds = 1e-3;
        world.set_up_seconds = 1e-2;
        world.share_of_ranks = share_of_ranks;
        world.least_seconds = [](std::int64_t) { return 0.01; };
        const Outcome outcome = run(world, calls);
        for (int call = 0; call < calls; ++call) {
            const auto at = static_cast<std::size_t>(call);
            took[at] = std::max(took[at], outcome.took[at]);
            native[at] = std::max(native[at], world.time_of(65536, call, 0));
        }
    }
    return std::accumulate(took.begin(), took.end(), 0.0) / std::accumulate(native.begin(), native.end(), 0.0);
}

TEST(Regret, TrialsOfCommunicatorsBesideEachOtherAreWithinTheBudgetOfOneProgram) {
    constexpr int communicators = 4;
    constexpr int programs = 10;
    for (const int calls : {100, 1000}) {
        double regret = 0;
        for (std::uint64_t seed = 1; seed <= programs; ++seed) {
            regret += regret_beside_each_other(communicators, 1.0 / communicators, calls, seed) / programs;
        }
        EXPECT_LE(regret, calls == 100 ? 1.05 : 1.02) << calls;
    }
}

TEST(Regret, WhereTheFirstCallsAreFarOffTheTenthIsNotWaitedFor) {
    World world = steady({0.3, 0.1});
    world.set_up_seconds = 1e-2;
    world.least_seconds = [](std::int64_t) { return 0.09; };
    const Outcome outcome = run(world, 10);
    EXPECT_EQ(outcome.served[3], 1U);
    EXPECT_GE((outcome.by_one[0] - outcome.seconds) / (outcome.by_one[0] - outcome.by_one[1]), 0.65);
}

// The case of ./demo, blocks of 8 KB: the native call takes 250 ms, the bound is 42 ms.
TEST(Regret, ANativeCallOfSeveralTimesTheBoundLeadsToATrialInTheFourthCall) {
    for (const double native : {0.25, 0.19}) {
        World world = steady({native, 0.05}, 0.1);
        world.set_up_seconds = 1.2e-2;
        world.agreement_seconds = 1.5e-3;
        world.least_seconds = [](std::int64_t) { return 0.042; };
        world.candidate_takes_more_seconds = 1e-3;
        const Outcome outcome = run(world, 10);
        EXPECT_THAT(std::vector<std::size_t>(outcome.served.begin() + 3, outcome.served.end()), testing::Each(1U))
            << native;
    }
}

// As Open MPI's own at 100 Mbit/s: 0.14 s by itself, 0.42 where its ranks begin together. Where it is best all the
// same, each look at somebody else disturbs one of its calls.
TEST(Regret, WhatAnAgreementDoesToTheMpisOwnIsNotHeldAgainstIt) {
    for (const Seconds& seconds : {Seconds{0.14, 0.15}, Seconds{0.14, 0.2, 0.18}, Seconds{0.14, 0.1}}) {
        World world = steady(seconds, 0.03);
        world.agreement_seconds = 1e-3;
        world.set_up_seconds = 1e-2;
        world.least_seconds = [](std::int64_t) { return 0.09; };
        world.own_after_agreement = 3;
        const bool own_is_best = seconds[1] > seconds[0];
        EXPECT_LE(run(world, 3).regret(), own_is_best ? 1.001 : 1.45) << text(seconds);
        EXPECT_LE(run(world, 100).regret(), own_is_best ? 1.21 : 1.03) << text(seconds);
        EXPECT_LE(run(world, 1000).regret(), own_is_best ? 1.05 : 1.01) << text(seconds);
        EXPECT_EQ(run(world, 1000).served.back(), own_is_best ? 0U : 1U) << text(seconds);
    }
}

// A call that has been agreed on is a candidate's rather than the MPI's own, which would be disturbed.
TEST(Regret, ASmallLeadIsTriedInTheCallThatIsAgreedOnAnyway) {
    World world = steady({0.115, 0.094});
    world.agreement_seconds = 1e-3;
    world.set_up_seconds = 1.2e-2;
    world.least_seconds = [](std::int64_t) { return 0.0925; };
    world.own_after_agreement = 3;
    const Outcome outcome = run(world, 10);
    EXPECT_EQ(outcome.served[3], 1U);
    EXPECT_LT(outcome.seconds, outcome.by_one[0]);
}

/// 16 ranks on a chain with trunks of four times the ports' speed, blocks of 16 KB, as measured: cold connections take
/// 50 ms, the MPI's own 140 ms or, in one call of twelve, 200 ms more, and by itself between two exchanges by the clock
/// 110 or 340 ms.
World fast_trunks(int seed) {
    World world = steady({0.14, 0.0935});
    world.agreement_seconds = 1e-3;
    world.set_up_seconds = 1.1e-2;
    world.least_seconds = [](std::int64_t) { return 0.0877; };
    world.candidate_takes_more_seconds = 1e-3;
    world.own_after_agreement = 1.7;
    world.last_own_less_seconds = 0.05;
    world.time_of = [=](std::int64_t, int call, std::size_t one) {
        const double cold = call == 0 ? (one == 0 ? 0.05 : 0.03) : 0;
        const bool accident = std::abs(std::log(scatter(call, one, static_cast<std::uint64_t>(seed), 1))) > 1.73;
        const double spread = scatter(call, one, static_cast<std::uint64_t>(seed) + 50, one == 0 ? 0.15 : 0.01);
        return one == 0 ? 0.14 * spread + cold + (accident ? 0.2 : 0) : 0.0935 * spread + cold;
    };
    return world;
}

TEST(Regret, CallsThatBeginInStepDoNotHideWhoIsFaster) {
    constexpr int programs = 40;
    double gain_of_ten = 0;
    double regret_of_hundred = 0;
    double regret_of_thousand = 0;
    for (int seed = 1; seed <= programs; ++seed) {
        const Outcome ten = run(fast_trunks(seed), 10);
        gain_of_ten += (ten.by_one[0] - ten.seconds) / (ten.by_one[0] - ten.by_one[1]) / programs;
        const Outcome hundred = run(fast_trunks(seed), 100);
        regret_of_hundred += hundred.regret() / programs;
        // One look at somebody else that ends badly, at most.
        EXPECT_LE(hundred.regret(), 1.07) << seed;
        regret_of_thousand += run(fast_trunks(seed), 1000).regret() / programs;
    }
    EXPECT_GE(gain_of_ten, 0.65);
    EXPECT_LE(regret_of_hundred, 1.045);
    EXPECT_LE(regret_of_thousand, 1.012);
}

// Open MPI's own with blocks of 64 KB, 16 ranks on a chain, as measured: 0.85 s among its like, 0.45 s behind an
// exchange by the clock, which takes 0.36 s, and half a second behind it. One call shows that it is slower all the
// same.
TEST(Regret, WhoIsFasterByItselfThanAmongItsLikeHasOneTurnOfALook) {
    World world = steady({0.85, 0.363}, 0.02);
    world.agreement_seconds = 2e-3;
    world.set_up_seconds = 1.1e-2;
    world.least_seconds = [](std::int64_t) { return 0.351; };
    world.candidate_takes_more_seconds = 1e-3;
    world.own_behind_another = 0.53;
    world.another_behind_own = 1.4;
    const Outcome outcome = run(world, 150);
    EXPECT_LE(std::count(outcome.served.begin(), outcome.served.end(), 0U), opening_calls + 2);
    EXPECT_LE(run(world, 100).regret(), 1.055);
}

TEST(Regret, NoiseDoesNotSpoilIt) {
    for (const Seconds& seconds : all_cases()) {
        EXPECT_LE(mean_regret(seconds, 0.1, 100), 1.05) << text(seconds);
        EXPECT_LE(mean_regret(seconds, 0.1, 1000), 1.02) << text(seconds);
        EXPECT_LE(mean_regret(seconds, 0.03, 100), 1.05) << text(seconds);
    }
}

/// Each candidate is `slowness` times as slow in one call of `every`, 8, 20 or 50 (0: never). One for each program.
std::vector<double> regrets_with_slow_calls(const Seconds& seconds, const std::vector<int>& every, int calls,
                                            int programs, double slowness = 5, double spread = 0.03) {
    const auto of_normal_ones = [](int one_in) { return one_in == 8 ? 1.54 : one_in == 20 ? 1.96 : 2.33; };
    std::vector<double> regrets;
    for (int seed = 1; seed <= programs; ++seed) {
        World world = long_calls(seconds);
        world.time_of = [=, &seconds, &every](std::int64_t, int call, std::size_t one) {
            const double chance = std::abs(std::log(scatter(call, one, static_cast<std::uint64_t>(seed + 100), 1)));
            const bool slow = every[one] != 0 && chance > of_normal_ones(every[one]);
            return 5 * seconds[one] * (slow ? slowness : 1) *
                   scatter(call, one, static_cast<std::uint64_t>(seed), spread);
        };
        regrets.push_back(run(world, calls).regret());
    }
    return regrets;
}

double mean_of(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double mean_regret_with_slow_calls(const Seconds& seconds, const std::vector<int>& every, int calls) {
    return mean_of(regrets_with_slow_calls(seconds, every, calls, 8));
}

/// Prints docs/learning.md's table.
TEST(DISABLED_Table, OfMethodsThatAreVerySlowNowAndThen) {
    struct Row {
        Seconds seconds;
        std::vector<int> every;
        double slowness, spread;
    };
    for (const Row& row : {Row{{1e-2, 0.88e-2}, {0, 8}, 5, 0.03}, Row{{1e-2, 0.8e-2}, {0, 8}, 5, 0.03},
                           Row{{1e-2, 0.8e-2, 0.9e-2}, {0, 8, 0}, 5, 0.03}, Row{{1e-2, 0.8e-2}, {0, 20}, 20, 0.03},
                           Row{{1e-2, 1.1e-2}, {8, 0}, 5, 0.03}, Row{{1e-2, 0.9e-2}, {50, 50}, 5, 0.05},
                           Row{{1e-2, 0.8e-2}, {8, 8}, 5, 0.05}, Row{{1e-2, 1.2e-2}, {8, 8}, 5, 0.05}}) {
        constexpr int programs = 12;
        const auto many = regrets_with_slow_calls(row.seconds, row.every, 1000, programs, row.slowness, row.spread);
        fmt::print("{} s, one in {} slow, {} times: {:.2f} at 100 calls, {:.2f} at 1,000, the worst {:.2f}\n",
                   fmt::join(row.seconds, ", "), fmt::join(row.every, ", "), row.slowness,
                   mean_of(regrets_with_slow_calls(row.seconds, row.every, 100, programs, row.slowness, row.spread)),
                   mean_of(many), *std::max_element(many.begin(), many.end()));
    }
}

TEST(Regret, AMethodThatIsVerySlowInSomeCallsIsSeenThrough) {
    EXPECT_LE(mean_regret_with_slow_calls({1e-2, 0.8e-2}, {0, 8}, 1000), 1.04);
    EXPECT_LE(mean_regret_with_slow_calls({1e-2, 0.88e-2}, {0, 8}, 1000), 1.04);
    EXPECT_LE(mean_regret_with_slow_calls({1e-2, 1.1e-2}, {8, 0}, 1000), 1.15) << "the MPI's own is";
    // Accidents that can happen to everybody do not make it lose its lead.
    EXPECT_LE(mean_regret_with_slow_calls({1e-2, 0.8e-2}, {50, 50}, 1000), 1.04);
    EXPECT_LE(mean_regret_with_slow_calls({1e-2, 1.1e-2}, {50, 50}, 1000), 1.02);
}

TEST(Regret, FromTheTenthCallOnExploringStaysBelowAShare) {
    for (const Seconds& seconds : all_cases()) {
        for (const double spread : {0.0, 0.1}) {
            std::vector<double> shares;
            for (const std::uint64_t seed : {1U, 2U}) {
                const Outcome outcome = run(long_calls(seconds, spread, seed), 1000);
                for (std::size_t call = 10; call < outcome.served.size(); ++call) {
                    // One turn may turn out dearer than it was expected to be: what is then spent is paid off in
                    // silence.
                    if (outcome.share[call - 1] > 0.05) {
                        EXPECT_LE(outcome.share[call], outcome.share[call - 1] + 1e-9) << text(seconds) << ", " << call;
                    }
                }
                shares.push_back(outcome.share.back());
            }
            EXPECT_LE(mean_of(shares), 0.02) << text(seconds) << ", " << spread;
        }
    }
}

TEST(Regret, WhoIsTwiceAsSlowIsNotLookedAtAgainInAHundredCalls) {
    World world = steady({0.2, 0.095});
    world.set_up_seconds = 1e-2;
    world.least_seconds = [](std::int64_t) { return 0.09; };
    EXPECT_LE(run(world, 100).regret(), 1.04);
}

TEST(Regret, AHopelessCandidateHasFewTurns) {
    const Outcome outcome = run(long_calls({1e-2, 1e-1}), 1000);
    EXPECT_LE(std::count(outcome.served.begin(), outcome.served.end(), 1U), 2);
}

TEST(Regret, ShortCallsDoNotPayForSettingUpWhatTheyCannotUse) {
    World world = steady({1e-4, 0.8e-4});
    world.agreement_seconds = 4e-5;
    world.set_up_seconds = 5e-3;
    EXPECT_LE(run(world, 3).regret(), 1.25);  // the MPI's own, to the last call
    EXPECT_LE(run(world, 100).seconds, 1.05 * run(world, 100).by_one[0]);
    EXPECT_LE(run(world, 10000).regret(), 1.20);  // what setting up costs is worth it only by then
    const Outcome silent = run(world, 3);
    EXPECT_EQ(silent.agreements, 0);
}

TEST(Regret, AfterLearningThereAreHardlyAnyAgreements) {
    World world = steady({2e-4, 1.5e-4}, 0.05);
    world.agreement_seconds = 6e-5;
    const std::int64_t learning = run(world, 5000).agreements;
    EXPECT_LE(run(world, 20000).agreements - learning, 15000 / 150);
}

TEST(Regret, TwoSizesInTurn) {
    std::vector<std::int64_t> sizes;
    for (int call = 0; call < 200; ++call) {
        sizes.push_back(call % 2 == 0 ? 1024 : 1 << 20);
    }
    World world;
    world.time_of = [](std::int64_t size, int, std::size_t one) {
        return size == 1024 ? (one == 0 ? 1e-4 : 4e-4) : (one == 0 ? 1e-2 : 0.7e-2);
    };
    const Outcome outcome = run(world, sizes);
    EXPECT_LE(outcome.seconds, 1.05 * (100 * 1e-4 + 100 * 0.7e-2));
    EXPECT_EQ(outcome.served[198], 0U);
    EXPECT_EQ(outcome.served[199], 1U);
}

TEST(Regret, SizesThatChangeSlowlyAreLearnedOnce) {
    std::vector<std::int64_t> sizes;
    for (int call = 0; call < 400; ++call) {
        sizes.push_back(static_cast<std::int64_t>(65536 * std::pow(1.01, call)));
    }
    World world;
    world.time_of = [](std::int64_t size, int, std::size_t one) {
        return static_cast<double>(size) * (one == 0 ? 1.4e-7 : 1e-7);
    };
    EXPECT_LE(run(world, sizes).regret(), 1.05);
}

/// Unequal messages of a bound of 4 to 4.6 ms, other ones every eighth call, as on two racks at 1 Gbit/s.
World racks(double own_over_bound, double spread, std::uint64_t seed) {
    World world;
    world.unequal = true;
    world.agreement_seconds = 5e-4;
    world.set_up_seconds = 3e-3;
    world.least_seconds = [](std::int64_t nanoseconds) { return 1e-9 * static_cast<double>(nanoseconds); };
    world.candidate_takes_more_seconds = 1e-3;
    world.time_of = [=](std::int64_t nanoseconds, int call, std::size_t one) {
        const double cold = call == 0 ? 1e-2 : 0;
        const double over_bound = one == 0 ? own_over_bound : 1.4;
        return (1e-9 * static_cast<double>(nanoseconds) * over_bound + cold) * scatter(call, one, seed, spread);
    };
    return world;
}

std::vector<std::int64_t> bounds_about_a_boundary(std::size_t calls) {
    const std::int64_t boundary = first_of(class_of(4200000));
    std::vector<std::int64_t> bounds;
    for (std::size_t call = 0; call < calls; ++call) {
        bounds.push_back(boundary + (call / 8 % 2 == 0 ? -30000 : 150000));
    }
    return bounds;
}

TEST(Regret, UnequalMessagesLearnTogetherWhereverTheirBoundsAre) {
    for (const double spread : {0.0, 0.1, 0.2}) {
        for (const std::uint64_t seed : {1U, 2U, 3U}) {
            const World world = racks(3, spread, seed);
            const Outcome ten = run(world, bounds_about_a_boundary(10));
            EXPECT_GE((ten.by_one[0] - ten.seconds) / (ten.by_one[0] - ten.by_one[1]), 0.5) << spread << ' ' << seed;
            const Outcome hundred = run(world, bounds_about_a_boundary(100));
            // Exchanges by the clock agree in every call, learned or not.
            const double always = hundred.by_one[1] + 100 * world.agreement_seconds + world.set_up_seconds;
            EXPECT_LE(hundred.seconds, 1.05 * always) << spread << ' ' << seed;
        }
    }
}

TEST(Regret, UnequalMessagesThatTheMpiCarriesAtTheBoundAreLeftToIt) {
    const Outcome outcome = run(racks(1.1, 0.02, 1), bounds_about_a_boundary(100));
    EXPECT_THAT(outcome.served, testing::Each(0U));
}

/// As FFTW with uneven slabs by Open MPI on ports of 25 and trunks of 100 Mbit/s, or with a candidate that is faster.
World fourier(double own_seconds, double by_clock_seconds, std::uint64_t seed) {
    World world = steady({own_seconds, by_clock_seconds}, 0.05, seed);
    world.unequal = true;
    world.agreement_seconds = 1e-3;
    world.set_up_seconds = 1e-2;
    world.least_seconds = [](std::int64_t) { return 0.021; };
    world.candidate_takes_more_seconds = 2e-3;
    world.own_after_agreement = 1.5;
    return world;
}

TEST(Regret, WhatAnAgreementDoesToUnequalCallsOfTheMpisOwnIsNotHeldAgainstIt) {
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
        EXPECT_DOUBLE_EQ(run(fourier(0.024, 0.029, seed), 3, 21000000).regret(), 1);
        const Outcome outcome = run(fourier(0.024, 0.029, seed), 160, 21000000);
        EXPECT_LE(std::count(outcome.served.begin(), outcome.served.end(), 1U), 8);
        EXPECT_LE(outcome.agreements, 32);
        EXPECT_LE(outcome.regret(), 1.12);
        // Nor does it hide who is faster.
        EXPECT_LE(run(fourier(0.036, 0.024, seed), 160, 21000000).regret(), 1.1);
    }
}

/// The same with what is known of exchanges by the clock, of so many bytes more.
World fourier_as_expected(double times, double own_seconds, double by_clock_seconds, std::uint64_t seed) {
    World world = steady({own_seconds, by_clock_seconds}, 0.03, seed);
    world.unequal = true;
    world.agreement_seconds = 1.2e-3;
    world.set_up_seconds = 1.8e-2;
    world.least_seconds = [=](std::int64_t) { return times * 0.0201; };
    world.candidate_takes_more_seconds = times * 6e-4 + 2.9e-3;
    world.candidate_spread_seconds = times * 9e-4 + 4.8e-3;
    world.own_after_agreement = 1.5;
    return world;
}

TEST(Regret, WhoIsHardlyEverFasterHasNoTurnInAProgramOfAFewCalls) {
    for (const std::uint64_t seed : {1U, 2U, 3U, 4U, 5U}) {
        const World of_small_messages = fourier_as_expected(1, 0.0245, 0.033, seed);
        EXPECT_THAT(run(of_small_messages, 40, 21000000).served, testing::Each(0U)) << seed;
        // At eight times the bytes the same share of the bound is worth a turn.
        const World of_large_ones = fourier_as_expected(8, 0.245, 0.175, seed);
        const Outcome outcome = run(of_large_ones, 10, 168000000);
        EXPECT_GE((outcome.by_one[0] - outcome.seconds) / (outcome.by_one[0] - outcome.by_one[1]), 0.5) << seed;
    }
}

/// A time-out of TCP in one of a program's first calls, as one program in twenty of FFTW had it: the clock seemed to be
/// so much faster that it kept all 40 calls, which took half as long again.
TEST(Regret, OneTimeOutAmongTheFirstCallsIsAnAccident) {
    for (const int when : {0, 1, 2}) {
        World world = fourier_as_expected(1, 0.0245, 0.036, 1);
        const TimeOf usual = world.time_of;
        world.time_of = [=](std::int64_t size, int call, std::size_t one) {
            return one == 0 && call == when ? 0.27 : usual(size, call, one);
        };
        EXPECT_THAT(run(world, 40, 21000000).served, testing::Each(0U)) << when;
    }
    // What is slow beside it is slow all the same.
    World world = fourier_as_expected(8, 0.3, 0.175, 1);
    const TimeOf usual = world.time_of;
    world.time_of = [=](std::int64_t size, int call, std::size_t one) {
        return one == 0 && call == 0 ? 1.6 : usual(size, call, one);
    };
    EXPECT_EQ(run(world, 10, 168000000).served.back(), 1U);
}

// Four machines of four ranks each, 8 KB, while compilers kept the cores busy: a native call was at its bound after a
// first one that found cold connections, and setting up the exchange took 0.2 s.
TEST(Regret, ASetUpThatTookLongDoesNotKeepCallsFromTheNativeRoutine) {
    for (const double first : {0.04, 0.1}) {
        World world = steady({0.035, 0.045}, 0.03);
        world.time_of = [of = world.time_of, first](std::int64_t size, int call, std::size_t one) {
            return call == 0 ? first : of(size, call, one);
        };
        world.agreement_seconds = 1e-3;
        world.set_up_seconds = 1.2e-2;
        world.set_up_takes_more_seconds = 0.2;
        world.least_seconds = [](std::int64_t) { return 0.033; };
        world.candidate_takes_more_seconds = 1e-3;
        const Outcome outcome = run(world, 100);
        EXPECT_LE(outcome.seconds - world.set_up_takes_more_seconds, 1.06 * outcome.by_one[0]) << first;
        EXPECT_THAT(std::vector<std::size_t>(outcome.served.begin() + 20, outcome.served.begin() + 60),
                    testing::Each(0U))
            << first;
    }
}

// The demo: native calls take 6 times the bound at 8 KB, but not the first one, and 2 times at 32 KB.
World demo_with_time_outs() {
    World world;
    world.least_seconds = [](std::int64_t size) { return size == 8192 ? 0.042 : 0.168; };
    world.time_of = [](std::int64_t size, int call, std::size_t one) {
        const double native = size == 8192 ? (call == 0 ? 0.065 : 0.3) : 0.35;
        const double scheduled = size == 8192 ? 0.049 : 0.185;
        return (one == 0 ? native : scheduled) * scatter(call, one, 7, 0.01);
    };
    world.agreement_seconds = 5e-4;
    world.set_up_seconds = 6e-3;
    world.candidate_takes_more_seconds = 1.5e-3;
    return world;
}

TEST(Regret, WhatOneSizeHasSpentKeepsNoOtherSizeFromATrialThatPaysByItself) {
    for (const int before : {10, 20, 30, 40, 60}) {
        const World world = demo_with_time_outs();
        std::vector<std::int64_t> sizes(static_cast<std::size_t>(before), 8192);
        sizes.resize(sizes.size() + 10, 32768);
        const Outcome outcome = run(world, sizes);
        const std::vector<std::size_t> later(outcome.served.end() - 9, outcome.served.end());
        EXPECT_THAT(later, testing::Each(1U)) << before;
    }
}

TEST(Regret, AProgramOfTwentyCallsDoesNotPayForALookAtTheNativeRoutineThatCanHardlyGain) {
    constexpr int programs = 12;
    double sum = 0;
    for (std::uint64_t seed = 1; seed <= programs; ++seed) {
        sum += run(demo_of(0.25, seed), 20).regret();
    }
    EXPECT_LE(sum / programs, 1.25);
}

// A native call behind others' takes a third of what native calls take that follow each other, and so does the first of
// all: it seemed as fast as the candidate, so the look at it had a second call before the first one's cost was known.
TEST(Regret, ALookAtTheNativeRoutineIsOneCallWhereTheFirstCallAloneIsKnown) {
    World world = demo_with_time_outs();
    world.own_behind_another = 0.35;
    world.time_of = [of = world.time_of](std::int64_t size, int call, std::size_t one) {
        return one == 0 ? (call == 0 ? 0.056 : 0.24) : of(size, call, one);
    };
    EXPECT_LE(run(world, 20, 8192).regret(), 1.1);
}

/// Calls whose time depends on who served the one before: so many times as long behind the other method. A set-up takes
/// ten agreements.
World behind_each_other(const Seconds& seconds, double least, double own_behind_another, double another_behind_own,
                        double agreement, double spread, std::uint64_t seed) {
    World world = steady(seconds, spread, seed);
    world.agreement_seconds = agreement;
    world.set_up_seconds = 10 * agreement;
    world.least_seconds = [least](std::int64_t) { return least; };
    world.candidate_takes_more_seconds = 1e-3;
    world.own_behind_another = own_behind_another;
    world.another_behind_own = another_behind_own;
    return world;
}

// Chain of 4 x 4 machines, blocks of 8 KB, as seen on the wire: native calls take 91 ms among their likes and 50 ms
// behind a scheduled one, but the scheduled call behind them takes 250 ms, since ranks that lost packets enter it late.
// The first native call of all took 53 ms. The scheduled call behind it is no reason to go back to native ones.
TEST(Regret, WhatANativeCallDelaysTheNextOneByIsItsCost) {
    constexpr int programs = 12;
    std::int64_t looks = 0;
    for (std::uint64_t seed = 1; seed <= programs; ++seed) {
        World world = behind_each_other({0.091, 0.0465}, 0.042, 0.53, 5.4, 1.2e-3, 0.03, seed);
        world.time_of = [of = world.time_of](std::int64_t size, int call, std::size_t one) {
            return call == 0 && one == 0 ? 0.053 : of(size, call, one);
        };
        const Outcome outcome = run(world, 100, 8192);
        EXPECT_EQ(std::count(outcome.served.begin() + 1, outcome.served.begin() + 12, 0U), 0) << seed;
        looks += std::count(outcome.served.begin() + 12, outcome.served.end(), 0U);
        EXPECT_LE(outcome.regret(), 1.1) << seed;
    }
    EXPECT_LE(looks, programs);
}

// Four nodes of four ranks, blocks of 8 KB, as seen on the wire under MPICH: native calls are the faster ones by 4 %,
// but not behind a scheduled call together with the one behind them. So a single look says nothing new, and looks
// without an end would cost 8 %.
TEST(Regret, LooksAtAMethodThatIsFasterOnlyAmongItsLikesEnd) {
    for (const int calls : {100, 1000}) {
        double sum = 0;
        constexpr int programs = 20;
        for (std::uint64_t seed = 1; seed <= programs; ++seed) {
            World world = behind_each_other({0.0345, 0.0359}, 0.0315, 0.9, 1.33, 3.5e-4, 0.02, seed);
            world.behind_from = 20;
            const double regret = run(world, calls, 8192).regret();
            EXPECT_LE(regret, calls == 100 ? 1.08 : 1.04) << seed << ", " << calls;
            sum += regret;
        }
        EXPECT_LE(sum / programs, calls == 100 ? 1.05 : 1.02) << calls;
    }
}

// A set-up that seems to be dear: the first candidate's call is put off, and the second native call is four times as
// long as the first, which says as little.
TEST(Regret, ASecondCallThatIsTakenForAnAccidentIsLookedIntoAtOnce) {
    World world = demo_with_time_outs();
    world.agreement_seconds = 4.2e-3;
    world.set_up_seconds = 4.2e-2;
    const Outcome outcome = run(world, 20, 8192);
    EXPECT_LE(std::count(outcome.served.begin(), outcome.served.end(), 0U), 6);
}

// TCP connections lose nothing while they are young, and then every call waits for time-outs. Reductions as dear as
// they are on loaded cores keep a candidate from the second call.
TEST(Regret, NativeCallsThatBecomeSlowAfterTheFirstTwoAreNoticedSoon) {
    World world = demo_with_time_outs();
    world.agreement_seconds = 4.9e-3;
    world.set_up_seconds = 4.9e-2;
    world.time_of = [of = world.time_of](std::int64_t size, int call, std::size_t one) {
        return one == 0 && call < 2 ? 0.058 : of(size, call, one);
    };
    const Outcome outcome = run(world, 60, 8192);
    EXPECT_LE(std::count(outcome.served.begin(), outcome.served.end(), 0U), 10);
}

TEST(Regret, ChangesOfTheNetworkAreFollowed) {
    const auto switches = [](Seconds before, Seconds after, int when) {
        World world = long_calls(before);
        world.time_of = [=](std::int64_t, int call, std::size_t one) {
            return 5 * (call < when ? before : after)[one] * scatter(call, one, 3, 0.05);
        };
        return world;
    };
    struct Change {
        Seconds before, after;
        std::size_t best;
    };
    for (const Change& change : {Change{{1e-2, 2e-2}, {3e-2, 1e-2}, 1},    // the winner becomes slow
                                 Change{{2e-2, 1e-2}, {0.7e-2, 1e-2}, 0},  // a loser becomes fast, and nothing shows it
                                 Change{{4e-2, 3e-2}, {1e-2, 1.5e-2}, 0},  // foreign traffic goes
                                 Change{{1e-2, 0.8e-2}, {2e-2, 2.5e-2}, 0}}) {  // half of a trunk goes
        const Outcome outcome = run(switches(change.before, change.after, 200), 1500);
        const auto late = std::count(outcome.served.end() - 400, outcome.served.end(), change.best);
        EXPECT_GE(late, 385) << text(change.before) << " -> " << text(change.after);
        EXPECT_LE(outcome.regret(), 1.05) << text(change.before) << " -> " << text(change.after);
    }
}

/// 16 ranks on a chain under Open MPI whose trunks carry half from some call on: the times that were seen, of the MPI's
/// own without an agreement before it. Time-outs of TCP make it take up to 0.4 s, and the winner is behind from then
/// on.
World trunks_halved(int when, int seed) {
    World world = steady({0, 0});
    world.set_up_seconds = 1e-2;
    world.agreement_seconds = 1e-4;
    world.least_seconds = [](std::int64_t) { return 0.088; };
    world.time_of = [=](std::int64_t, int call, std::size_t one) {
        const std::vector<double> own_before = {0.11, 0.32, 0.24, 0.05, 0.25, 0.30, 0.09, 0.28, 0.09, 0.09, 0.09, 0.08};
        const std::vector<double> own_after = {0.31, 0.19, 0.18, 0.18, 0.17, 0.32, 0.40, 0.18, 0.34,
                                               0.32, 0.18, 0.16, 0.22, 0.17, 0.18, 0.18, 0.35, 0.34};
        const std::vector<double> finding = {0.39, 0.39, 0.35, 0.35, 0.35, 0.33, 0.41, 0.44};
        const auto after = static_cast<std::size_t>(std::max(call - when, 0));
        if (one == 0) {
            const std::vector<double>& own = call < when ? own_before : own_after;
            return own[static_cast<std::size_t>(call + seed) % own.size()];
        }
        return call < when ? 0.093 : after < finding.size() ? finding[after] : 0.35;
    };
    return world;
}

TEST(Regret, WhatOthersTookBeforeAChangeIsNoReasonToGoToThem) {
    std::vector<double> regrets;
    for (int seed = 0; seed < 6; ++seed) {
        for (int when = 62; when < 74; ++when) {
            regrets.push_back(run(trunks_halved(when, seed), 100).regret());
        }
    }
    // Whoever changes with the network is ahead of both.
    EXPECT_LE(mean_of(regrets), 0.91);
    EXPECT_LE(*std::max_element(regrets.begin(), regrets.end()), 0.98);
}

// As measured where others send across a trunk for six seconds: an exchange by the clock takes 0.32 s meanwhile. The
// MPI's own takes 0.15 s before, then and afterwards, so nothing shows that they have gone.
TEST(Regret, WhoeverLedBeforeTheNetworkChangedIsLookedAtAgainSoon) {
    World world = steady({0, 0});
    world.set_up_seconds = 1e-2;
    world.agreement_seconds = 1e-3;
    world.least_seconds = [](std::int64_t) { return 0.088; };
    world.own_after_agreement = 1.5;
    world.time_of = [](std::int64_t, int call, std::size_t one) {
        const double usual = one == 0 ? 0.15 : call >= 33 && call < 65 ? 0.32 : 0.092;
        return usual * scatter(call, one, 5, 0.03);
    };
    const Outcome outcome = run(world, 150);
    EXPECT_EQ(outcome.served.back(), 1U);
    EXPECT_LE(outcome.seconds, 0.96 * outcome.by_one[1]);
}

}  // namespace
}  // namespace aapc::learning
