#include "selection/unequal_rule.hpp"

#include <gtest/gtest.h>

#include <string>

#include "aapc/methods/cadence.hpp"
#include "aapc/timetable/synchronisation.hpp"
#include "aapc/topology/topology_file.hpp"
#include "selection/crossover.hpp"

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
    const double crossover = 0.015;
    EXPECT_TRUE(worth_exchanging(UnequalUse::automatic, crossover, 0, crossover));
    EXPECT_FALSE(worth_exchanging(UnequalUse::automatic, 0.99 * crossover, 0, crossover));
    const double agreement = 0.002;
    const double both = crossover + agreement / gain_of_schedule;
    EXPECT_TRUE(worth_exchanging(UnequalUse::automatic, 1.01 * both, agreement, crossover));
    EXPECT_FALSE(worth_exchanging(UnequalUse::automatic, 0.99 * both, agreement, crossover));
    EXPECT_TRUE(worth_exchanging(UnequalUse::always, 1e-9, 1, crossover));
    EXPECT_FALSE(worth_exchanging(UnequalUse::always, 0, 0, crossover)) << "there is nothing on the links";
    EXPECT_FALSE(worth_exchanging(UnequalUse::never, 1e9, 0, crossover));
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
    const double usual = unequal_crossover_seconds(network, placement, bound, std::nullopt);
    EXPECT_NEAR(usual, usual_start_seconds / gain_of_schedule, 2e-3);
    const double slower = unequal_crossover_seconds(network, placement, bound, 3 * usual_start_seconds);
    EXPECT_NEAR(slower - usual, 2 * usual_start_seconds / gain_of_schedule, 1e-9);
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
