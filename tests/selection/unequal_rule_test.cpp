#include "selection/unequal_rule.hpp"

#include <gtest/gtest.h>

#include <string>

#include "aapc/methods/cadence.hpp"
#include "aapc/timetable/synchronisation.hpp"
#include "aapc/topology/topology_file.hpp"
#include "selection/crossover.hpp"
#include "selection/start.hpp"

namespace aapc::selection {
namespace {

TEST(UnequalRule, SettingsAreReadAndMistakesAnswered) {
    EXPECT_EQ(*parse_unequal_use(""), UnequalUse::automatic);
    EXPECT_EQ(*parse_unequal_use("auto"), UnequalUse::automatic);
    EXPECT_EQ(*parse_unequal_use("always"), UnequalUse::always);
    EXPECT_EQ(*parse_unequal_use("never"), UnequalUse::never);
    const auto wrong = parse_unequal_use("Always");
    ASSERT_FALSE(wrong);
    EXPECT_NE(wrong.error().problem.find("'Always'"), std::string::npos);
    EXPECT_NE(wrong.error().advice.find("never"), std::string::npos);
}

TEST(UnequalRule, TheMethodGoesByTheClockOnEveryKindOfNetwork) {
    for (const NetworkKind kind :
         {NetworkKind::tree, NetworkKind::torus, NetworkKind::clusters, NetworkKind::detected}) {
        const auto method = method_for_unequal(kind);
        ASSERT_TRUE(method);
        EXPECT_EQ(method->synchronisation.kind, Synchronisation::Kind::timed);
    }
}

TEST(UnequalRule, ACallIsWorthItWhereItLastsAndTheAgreementDoesNot) {
    const UnequalCrossover crossover{0.015, 0.06};
    const auto bound = [](double seconds) {
        const auto nanoseconds = static_cast<std::int64_t>(1e9 * seconds);
        return DemandBound{nanoseconds, -1, nanoseconds};
    };
    const auto usual = UnequalUse::automatic;
    EXPECT_TRUE(worth_exchanging(usual, bound(0.01501), 0, crossover));
    EXPECT_FALSE(worth_exchanging(usual, bound(0.0149), 0, crossover));
    EXPECT_TRUE(worth_exchanging(usual, bound(0.004), 0, crossover, 4)) << "where calls show what is faster";
    const double agreement = 0.002;
    const double both = crossover.usual_seconds + agreement / gain_of_schedule;
    EXPECT_TRUE(worth_exchanging(usual, bound(1.01 * both), agreement, crossover));
    EXPECT_FALSE(worth_exchanging(usual, bound(0.99 * both), agreement, crossover));
    EXPECT_TRUE(worth_exchanging(UnequalUse::always, bound(1e-9), 1, crossover));
    EXPECT_FALSE(worth_exchanging(UnequalUse::always, bound(0), 0, crossover)) << "there is nothing on the links";
    EXPECT_FALSE(worth_exchanging(UnequalUse::never, bound(1e9), 0, crossover));
}

TEST(UnequalRule, WhereOneLinkNeedsTwiceAsLongAsAllOthersItTakesALongerCall) {
    const UnequalCrossover crossover{0.015, 0.06};
    EXPECT_TRUE(worth_exchanging(UnequalUse::automatic, {50'000'000, 4, 25'000'001}, 0, crossover));
    EXPECT_FALSE(worth_exchanging(UnequalUse::automatic, {50'000'000, 4, 25'000'000}, 0, crossover));
    EXPECT_TRUE(worth_exchanging(UnequalUse::automatic, {61'000'000, -1, 0}, 0, crossover));
    EXPECT_FALSE(worth_exchanging(UnequalUse::automatic, {61'000'000, -1, 0}, 0.001, crossover));
}

TEST(UnequalRule, ASlowerStartTakesALongerCall) {
    const Network network = *read_topology(R"(
[network]
speed = "1Gbit"
buffer = "64KiB"
[[switch]]
name = "s"
machines = "n[0-7]"
)",
                                           "t.toml");
    const Placement placement = full_placement(network);
    const Bound bound = network_bound(network, placement);
    const double start = expected_start_seconds(bound, placement.participants());
    const UnequalCrossover usual = unequal_crossover(network, placement, bound, std::nullopt);
    EXPECT_NEAR(usual.usual_seconds, start / gain_of_schedule, 2e-3);
    EXPECT_NEAR(usual.at_one_link_seconds, start / gain_at_one_link, 2e-3);
    const UnequalCrossover slower = unequal_crossover(network, placement, bound, 3 * start);
    EXPECT_NEAR(slower.usual_seconds - usual.usual_seconds, 2 * start / gain_of_schedule, 1e-9);
}

TEST(UnequalRule, SegmentsAreCutAsTheLongerQueuesNeed) {
    const Network network = *read_topology(R"(
[network]
speed = "1Gbit"
buffer = "32KiB"
[[switch]]
name = "s"
machines = "n[0-15]"
)",
                                           "t.toml");
    const Placement placement = full_placement(network);
    const Bound bound = network_bound(network, placement);
    const auto method = method_for_unequal(network.kind());
    const auto prepared = prepare_for_unequal(network, placement, bound, *method);
    ASSERT_TRUE(prepared);
    const auto equal = prepare(network, placement, bound, *method);
    ASSERT_TRUE(equal);
    EXPECT_EQ(prepared->cadence.most_wire_bytes, cadence_for_unequal(network, bound, equal->cadence).most_wire_bytes);
    EXPECT_GT(prepared->cadence.most_wire_bytes, 0);
}

/// Which of the next calls are asked about, when none is worth it.
std::string asked_in_vain(Inquiry& inquiry, int calls) {
    std::string asked;
    for (int call = 0; call < calls; ++call) {
        const bool asks = inquiry.asks();
        asked += asks ? '1' : '.';
        if (asks) {
            inquiry.learn(false);
        }
    }
    return asked;
}

TEST(Inquiry, AsksAtGrowingDistancesUntilACallIsWorthIt) {
    Inquiry inquiry(UnequalUse::automatic);
    EXPECT_EQ(asked_in_vain(inquiry, 24), "1111.1...1.......1......");
    while (!inquiry.asks()) {
    }
    inquiry.learn(true);
    EXPECT_EQ(asked_in_vain(inquiry, 10), "1111.1...1");
}

TEST(Inquiry, NeverWaitsLongerThanItSays) {
    Inquiry inquiry(UnequalUse::automatic);
    asked_in_vain(inquiry, 10 * Inquiry::longest_distance);
    int passed_over = 0;
    while (!inquiry.asks()) {
        ++passed_over;
    }
    inquiry.learn(false);
    EXPECT_EQ(asked_in_vain(inquiry, Inquiry::longest_distance), std::string(Inquiry::longest_distance - 1, '.') + "1");
    EXPECT_LT(passed_over, Inquiry::longest_distance);
}

TEST(Inquiry, DoesAsTheUserSays) {
    Inquiry always(UnequalUse::always);
    EXPECT_EQ(asked_in_vain(always, 12), "111111111111");
    Inquiry never(UnequalUse::never);
    EXPECT_EQ(asked_in_vain(never, 12), "............");
}

}  // namespace
}  // namespace aapc::selection
