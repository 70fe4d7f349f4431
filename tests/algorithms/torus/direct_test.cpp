// `torus-direct`: as few contention-free phases as the links allow, the checker says.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "aapc/algorithms/algorithm.hpp"
#include "aapc/check/schedule.hpp"
#include "aapc/offline/plan_from_schedule.hpp"
#include "aapc/offline/synchronise.hpp"
#include "aapc/offline/tabulate.hpp"
#include "aapc/plan/plan.hpp"
#include "aapc/topology/bound.hpp"
#include "algorithms/torus/ring_rounds.hpp"
#include "support/interpreter.hpp"
#include "support/networks.hpp"
#include "support/torus.hpp"

namespace aapc {
namespace {

using test::Sides;

Expected<std::unique_ptr<Timetable>> direct(const Network& network, const Placement& placement) {
    return build_timetable(**find_algorithm("torus-direct"), "", network, placement);
}

Expected<Schedule, Violation> checked(const Timetable& timetable, const Network& network, const Placement& placement) {
    return schedule_of_timetable(timetable, "torus-direct", "plain", network_bound(network, placement).messages,
                                 network, placement);
}

/// Every ordered pair of places, and every place with itself, is in one round and direction; the moves of a slot and
/// direction use each link once at most, and if the side is a multiple of 4 exactly once.
TEST(RingRounds, HoldEveryMoveOnceAndUseNoLinkTwice) {
    for (std::int32_t side = 2; side <= 50; side += 2) {
        SCOPED_TRACE(side);
        const torus::RingRounds ring(side);
        ASSERT_EQ(ring.rounds(), side / 2);
        ASSERT_EQ(ring.slots(), (side + 2) / 4);
        std::multiset<std::pair<std::int32_t, std::int32_t>> moves;
        for (std::int32_t round = 0; round < ring.rounds(); ++round) {
            for (const bool up : {true, false}) {
                std::set<std::pair<std::int32_t, std::int32_t>> used;  // slot and link
                for (std::int32_t place = 0; place < side; ++place) {
                    const std::int32_t slot = ring.slot_of(round, place);
                    const std::int32_t to = ring.destination(round, place, up);
                    ASSERT_TRUE(slot >= 0 && slot < ring.slots());
                    ASSERT_EQ(ring.slot_of(round, to), slot);
                    ASSERT_EQ(ring.origin(round, to, up), place);
                    ASSERT_EQ(ring.moves(round, place, up), to != place);
                    ASSERT_EQ(ring.round_of(place, to), round);
                    ASSERT_EQ(ring.goes_up(place, to), up) << place << "->" << to;
                    moves.insert({place, to});
                    for (std::int32_t at = place; at != to; at = (at + (up ? 1 : side - 1)) % side) {
                        ASSERT_TRUE(used.insert({slot, at}).second) << "round " << round << ", link at " << at;
                        ASSERT_EQ(ring.user_of_link(round, slot, at, up), place);
                    }
                }
                for (std::int32_t slot = 0; slot < ring.slots(); ++slot) {
                    for (std::int32_t at = 0; at < side; ++at) {
                        ASSERT_EQ(ring.user_of_link(round, slot, at, up).has_value(), used.contains({slot, at}));
                    }
                }
                ASSERT_TRUE(side % 4 != 0 || used.size() == static_cast<std::size_t>(side * ring.slots()));
            }
        }
        // A stay is listed for the one direction in which the place does not move in the last round.
        ASSERT_EQ(moves.size(), static_cast<std::size_t>(side * side));
        for (std::int32_t from = 0; from < side; ++from) {
            for (std::int32_t to = 0; to < side; ++to) {
                ASSERT_EQ(moves.count({from, to}), 1U) << from << "->" << to;
            }
        }
    }
}

struct Case {
    Sides sides;
    Phase phases;
};

void expect_phases(const std::vector<Case>& cases, Guarantee guarantee) {
    for (const auto& [sides, phases] : cases) {
        SCOPED_TRACE(test::text(sides));
        const Network network = test::torus_of(sides);
        const Placement placement = full_placement(network);
        const auto timetable = direct(network, placement);
        ASSERT_TRUE(timetable) << to_string(timetable.error());
        EXPECT_EQ((*timetable)->phases(), phases);
        EXPECT_EQ((*timetable)->guarantee(), guarantee);
        const auto schedule = checked(**timetable, network, placement);
        ASSERT_TRUE(schedule) << schedule.error().what;
        EXPECT_EQ(*schedule->bound() == phases, guarantee == Guarantee::shortest);
    }
}

/// N³/8 on N x N, and as many as the links of the longest side have to carry on other tori.
TEST(TorusDirect, ReachesTheBoundWhereTheLongestSideIsAMultipleOfFour) {
    expect_phases(
        {{{8, 8}, 64},    {{12, 12}, 216},  {{16, 16}, 512}, {{4, 8}, 32},    {{8, 4}, 32},     {{4, 12}, 72},
         {{8, 12}, 144},  {{12, 8}, 144},   {{8, 16}, 256},  {{16, 4}, 128},  {{20, 4}, 200},   {{4, 24}, 288},
         {{20, 8}, 400},  {{1, 8, 8}, 64},  {{8, 1, 4}, 32}, {{8}, 8},        {{12}, 18},       {{64}, 512},
         {{1, 16}, 32},   {{2, 8}, 16},     {{8, 6}, 48},    {{10, 12}, 180}, {{8, 8, 8}, 512}, {{4, 8, 4}, 128},
         {{8, 4, 2}, 64}, {{12, 2, 6}, 216}},
        Guarantee::shortest);
}

/// P·(max + 2)/8 phases if no longer side is a multiple of 4, P if no side is longer than 4.
TEST(TorusDirect, ServesOtherEvenSidesWithAFewMorePhases) {
    expect_phases({{{2}, 2},
                   {{4}, 4},
                   {{6}, 6},
                   {{10}, 15},
                   {{14}, 28},
                   {{2, 2}, 4},
                   {{4, 4}, 16},
                   {{6, 6}, 36},
                   {{8, 10}, 120},
                   {{10, 10}, 150},
                   {{14, 6}, 168},
                   {{2, 2, 2}, 8},
                   {{4, 4, 4}, 64},
                   {{6, 4, 2}, 48},
                   {{6, 6, 6}, 216}},
                  Guarantee::contention_free);
}

/// Every torus of even sides with up to 48 machines: the checker passes it, in any order of the ranks.
TEST(TorusDirect, AllSmallTori) {
    std::uint64_t seed = 0;
    int built = 0;
    for (const Sides& sides : test::small_tori(48)) {
        const Network network = test::torus_of(sides);
        Placement placement = full_placement(network);
        std::shuffle(placement.machine_of.begin(), placement.machine_of.end(), std::mt19937_64(++seed));
        const bool possible =
            placement.participants() > 1 &&
            std::all_of(sides.begin(), sides.end(), [](std::int32_t side) { return side == 1 || side % 2 == 0; });
        const auto timetable = direct(network, placement);
        ASSERT_EQ(timetable.has_value(), possible) << test::text(sides);
        if (timetable) {
            const auto schedule = checked(**timetable, network, placement);
            ASSERT_TRUE(schedule) << test::text(sides) << ", seed " << seed << ": " << schedule.error().what;
            ++built;
        }
    }
    EXPECT_GT(built, 60);
}

/// Both ends of a message agree on its phase, for ranks in any order.
TEST(TorusDirect, AnyOrderOfRanksAndAnyPartOfThem) {
    for (std::uint64_t seed = 1; seed <= 32; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        const Sides shapes[] = {{8, 8}, {4, 8}, {12, 4}, {6, 10}, {4, 4}, {16}, {8, 2, 4}, {4, 4, 2}};
        const Sides& sides = shapes[seed % std::size(shapes)];
        const Network network = test::torus_of(sides);
        Placement placement = full_placement(network);
        if (seed % 2 == 0) {
            placement = test::random_part(placement, seed);
        } else {
            std::shuffle(placement.machine_of.begin(), placement.machine_of.end(), std::mt19937_64(seed));
        }
        const auto timetable = direct(network, placement);
        ASSERT_TRUE(timetable) << to_string(timetable.error());
        const auto schedule = schedule_of_timetable(**timetable, "torus-direct", "plain",
                                                    network_bound(network, placement).messages, network, placement);
        ASSERT_TRUE(schedule) << schedule.error().what;
        std::vector<Plan> plans;
        for (Rank rank = 0; rank < placement.participants(); ++rank) {
            plans.push_back(make_plan(**timetable, rank, Synchronisation::timed));
            const Plan global = plan_from_schedule(*schedule, {}, rank, Synchronisation::timed);
            ASSERT_EQ(plans.back().sends, global.sends);
            ASSERT_EQ(plans.back().receives, global.receives);
        }
        EXPECT_EQ(test::carry_out(plans), "");
    }
}

/// What each rank works out for itself about tokens is what the whole table says, and enough for the checker.
TEST(TorusDirect, TokensAreThoseOfTheTable) {
    const Sides shapes[] = {{4, 8}, {8, 8}, {4, 4}, {6, 6}, {10}, {2, 4, 4}, {6, 2, 4}};
    for (std::uint64_t seed = 0; seed < 2 * std::size(shapes); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        const Network network = test::torus_of(shapes[seed / 2]);
        const Placement full = full_placement(network);
        const Placement placement = seed % 2 == 0 ? full : test::random_part(full, seed);
        const auto timetable = direct(network, placement);
        ASSERT_TRUE(timetable);
        const auto schedule = checked(**timetable, network, placement);
        ASSERT_TRUE(schedule) << schedule.error().what;
        for (const Synchronisation& synchronisation : {Synchronisation::sender, Synchronisation::receiver}) {
            const std::vector<Edge> edges = synchronisation_edges(*schedule, synchronisation, Reduction::pair_rule);
            EXPECT_FALSE(edges.empty() && placement.participants() > 2);
            const auto violation = check_synchronisation(*schedule, synchronisation, edges);
            ASSERT_FALSE(violation) << violation->what;
            for (Rank rank = 0; rank < placement.participants(); ++rank) {
                const Plan local = make_plan(**timetable, rank, synchronisation);
                const Plan global = plan_from_schedule(*schedule, edges, rank, synchronisation);
                ASSERT_EQ(local.waits, global.waits) << to_string(synchronisation) << ", rank " << rank;
                ASSERT_EQ(local.signals, global.signals) << to_string(synchronisation) << ", rank " << rank;
            }
        }
    }
}

TEST(TorusDirect, RefusalsSayWhatWouldBeRight) {
    const auto refusal = [](const Sides& sides, std::int32_t ranks) {
        const Network network = test::torus_of(sides, ranks);
        const auto timetable = direct(network, full_placement(network));
        return timetable ? "" : to_string(timetable.error());
    };
    for (const Sides& sides : {Sides{9, 9}, Sides{8, 5}, Sides{3, 4}, Sides{8, 8, 7}, Sides{5}}) {
        EXPECT_EQ(refusal(sides, 1),
                  fmt::format("algorithm 'torus-direct' is for tori whose sides are even, since opposite machines of a "
                              "ring are partners in it, and this one is {}; choose algorithm 'torus', which takes any "
                              "sides",
                              TorusGrid(sides).text()));
    }
    EXPECT_NE(refusal({9, 1}, 1).find("and this one is 9;"), std::string::npos);
    EXPECT_NE(refusal({1, 1}, 1).find("and this one is 1 machine;"), std::string::npos);
    EXPECT_EQ(refusal({8, 8}, 2),
              "algorithm 'torus-direct' is for one rank on each machine, and ranks 0 and 1 are both on t0; start one "
              "rank on each machine, or choose another algorithm");
    EXPECT_EQ(refusal({8, 8}, 1), "");
}

}  // namespace
}  // namespace aapc
