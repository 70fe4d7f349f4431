// `torus`: start-ups and transmissions of the corrected paper, every block followed by the checker.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "aapc/algorithms/algorithm.hpp"
#include "aapc/check/schedule.hpp"
#include "aapc/offline/plan_from_schedule.hpp"
#include "aapc/offline/tabulate.hpp"
#include "aapc/plan/plan.hpp"
#include "support/interpreter.hpp"
#include "support/torus.hpp"
#include "support/torus_costs.hpp"

namespace aapc {
namespace {

using test::Sides;

Expected<std::unique_ptr<Timetable>> divided(const Network& network, const Placement& placement, int divisions) {
    return build_timetable(**find_algorithm("torus"), fmt::format("divisions-{}", divisions), network, placement);
}

/// What the checker passed: its phases, and the sum over them of the blocks in the largest message.
struct Cost {
    std::int64_t start_ups = 0;
    std::int64_t blocks = 0;

    friend bool operator==(const Cost&, const Cost&) = default;
};

void PrintTo(const Cost& cost, std::ostream* out) {
    *out << cost.start_ups << " start-ups, " << cost.blocks << " blocks";
}

Cost checked_cost(const Sides& sides, int divisions) {
    const Network network = test::torus_of(sides);
    const Placement placement = full_placement(network);
    const auto timetable = divided(network, placement, divisions);
    if (!timetable) {
        ADD_FAILURE() << to_string(timetable.error());
        return {};
    }
    EXPECT_EQ((*timetable)->guarantee(), Guarantee::contention_free);
    const auto schedule = schedule_of_timetable(**timetable, "torus", fmt::format("divisions-{}", divisions),
                                                std::nullopt, network, placement);
    if (!schedule) {
        ADD_FAILURE() << schedule.error().what;
        return {};
    }
    Cost cost;
    for (const auto& phase : schedule->blocks()) {
        std::size_t largest = 0;
        for (const std::vector<Block>& blocks : phase) {
            largest = std::max(largest, blocks.size());
        }
        ++cost.start_ups;
        cost.blocks += static_cast<std::int64_t>(largest);
    }
    return cost;
}

/// A cell of the table of docs/torus.md.
struct Cell {
    std::int32_t side;
    int divisions;
    std::int64_t start_ups;
    double blocks_by_square;  ///< blocks over side²
};

void PrintTo(const Cell& cell, std::ostream* out) {
    *out << cell.side << " x " << cell.side << ", " << cell.divisions << " divisions";
}

/// Those of 32 x 32 with more divisions are for benchmarks/torus_costs, which takes its time.
class TorusDividedTable : public testing::TestWithParam<Cell> {};

TEST_P(TorusDividedTable, CostsAreThoseOfTheCorrectedTable) {
    const auto& [side, divisions, start_ups, blocks_by_square] = GetParam();
    const auto blocks = static_cast<std::int64_t>(blocks_by_square * side * side);
    EXPECT_EQ(checked_cost({side, side}, divisions), (Cost{start_ups, blocks - test::staying_blocks(divisions)}));
}

INSTANTIATE_TEST_SUITE_P(Cells, TorusDividedTable,
                         testing::Values(Cell{8, 0, 6, 3}, Cell{8, 1, 7, 6.5}, Cell{8, 2, 8, 11.5}, Cell{16, 0, 10, 5},
                                         Cell{16, 1, 9, 8.5}, Cell{16, 2, 10, 15.5}, Cell{16, 3, 11, 25.5},
                                         Cell{32, 0, 18, 9}, Cell{32, 1, 13, 12.5}),
                         [](const auto& instance) {
                             return fmt::format("{0}x{0}_{1}", instance.param.side, instance.param.divisions);
                         });

/// S = 3k + N/(2g) + 2 and B = N²·(N/4 + 3.5g - 2.5), for sides that are no powers of two, too.
TEST(TorusDivided, CostsAreThoseOfTheFormulas) {
    for (const auto& [side, divisions] : {std::pair{4, 0}, {12, 0}, {20, 0}, {24, 1}}) {
        const std::int64_t unit = std::int64_t{1} << divisions;
        const std::int64_t square = std::int64_t{side} * side;
        EXPECT_EQ(checked_cost({side, side}, divisions),
                  (Cost{std::int64_t{3} * divisions + side / (2 * unit) + 2,
                        square * side / 4 + square * (7 * unit - 5) / 2 - test::staying_blocks(divisions)}))
            << side << " x " << side << ", " << divisions << " divisions";
    }
}

/// Sides that are no multiples of 4: rings of every second machine, or of all.
TEST(TorusDivided, OtherSides) {
    for (const std::int32_t side : {2, 6, 10, 14}) {
        EXPECT_EQ(checked_cost({side, side}, 0), (Cost{side, std::int64_t{side} * side * side / 2})) << side;
    }
    for (const std::int32_t side : {3, 5, 7, 9}) {
        EXPECT_EQ(checked_cost({side, side}, 0), (Cost{2 * side - 2, std::int64_t{side} * side * (side - 1)})) << side;
    }
    EXPECT_EQ(checked_cost({8, 16}, 0).start_ups, 10) << "by the longer side";
    EXPECT_EQ(checked_cost({16, 8}, 1).start_ups, 9) << "by the longer side";
    EXPECT_EQ(checked_cost({6, 4}, 0).start_ups, 6);
    EXPECT_EQ(checked_cost({3, 4}, 0).start_ups, 5);
}

TEST(TorusDivided, ThreeDimensions) {
    // n·(max/4 + 1), and K·(n+1) + n·(max/2^(K+2) + 1).
    EXPECT_EQ(checked_cost({4, 4, 4}, 0).start_ups, 6);
    EXPECT_EQ(checked_cost({8, 8, 8}, 0).start_ups, 9);
    EXPECT_EQ(checked_cost({8, 8, 8}, 1).start_ups, 10);
    EXPECT_EQ(checked_cost({4, 8, 4}, 0).start_ups, 9);
    EXPECT_EQ(checked_cost({8, 4, 12}, 0).start_ups, 12);
}

/// Every torus of up to 32 machines, divided as often as it can be: the checker passes it, in any order of the ranks,
/// and each rank's own plan delivers.
TEST(TorusDivided, AllSmallTori) {
    std::uint64_t seed = 0;
    int divided_ones = 0;
    for (const Sides& sides : test::small_tori(32)) {
        const Network network = test::torus_of(sides);
        Placement placement = full_placement(network);
        std::shuffle(placement.machine_of.begin(), placement.machine_of.end(), std::mt19937_64(++seed));
        for (int divisions = 0; divisions < 6; ++divisions) {
            SCOPED_TRACE(fmt::format("{}, {} divisions, seed {}", test::text(sides), divisions, seed));
            const auto timetable = divided(network, placement, divisions);
            const bool possible = std::all_of(sides.begin(), sides.end(), [&](std::int32_t side) {
                return side == 1 || (side % (1 << divisions) == 0 && side >> divisions >= 2);
            });
            ASSERT_EQ(timetable.has_value(), possible);
            if (!timetable) {
                break;
            }
            divided_ones += divisions > 0 && sides.size() > 1 ? 1 : 0;
            const auto schedule = schedule_of_timetable(**timetable, "torus", "", std::nullopt, network, placement);
            ASSERT_TRUE(schedule) << schedule.error().what;
            std::vector<Plan> plans;
            for (Rank rank = 0; rank < placement.participants(); ++rank) {
                const Synchronisation synchronisation = Synchronisation::with_blocks(Synchronisation::Kind::window, 1);
                plans.push_back(make_plan(**timetable, rank, synchronisation));
                const Plan global = plan_from_schedule(*schedule, {}, rank, synchronisation);
                ASSERT_EQ(plans.back().sends, global.sends);
                ASSERT_EQ(plans.back().receives, global.receives);
                ASSERT_EQ(plans.back().forwarding, global.forwarding);
            }
            ASSERT_EQ(test::carry_out(plans), "");
        }
    }
    EXPECT_GT(divided_ones, 20);
}

/// A machine holds at most 2^K·N² blocks at once; what is in transit is known before the first message.
TEST(TorusDivided, BuffersAreAsLargeAsTheAlgorithmNeeds) {
    for (const int divisions : {0, 1, 2}) {
        const Network network = test::torus_of({8, 8});
        const auto timetable = divided(network, full_placement(network), divisions);
        ASSERT_TRUE(timetable);
        std::int32_t most = 0;
        for (Rank rank = 0; rank < 64; ++rank) {
            const Plan plan = make_plan(**timetable, rank, Synchronisation::none);
            ASSERT_TRUE(plan.forwarding);
            most = std::max(most, plan.forwarding->transit_blocks);
        }
        EXPECT_LE(most, 64 << divisions);
        EXPECT_GT(most, 32 << divisions);
    }
}

TEST(TorusDivided, RefusalsSayWhatWouldBeRight) {
    const auto refusal = [](const Sides& sides, int divisions, std::int32_t ranks = 1) {
        const Network network = test::torus_of(sides, ranks);
        const auto timetable = divided(network, full_placement(network), divisions);
        return timetable ? "" : to_string(timetable.error());
    };
    EXPECT_EQ(refusal({12, 8}, 3),
              "a torus of 12 x 8 cannot be divided 3 times: each side would have to be at least 2^4 and a multiple of "
              "2^3; choose fewer divisions; divisions-0 is possible for any sides");
    EXPECT_NE(refusal({9, 8}, 1).find("cannot be divided 1 time: each side would have to be at least 2^2"),
              std::string::npos);
    EXPECT_NE(refusal({8, 8}, 2147483647).find("at least 2^2147483648"), std::string::npos);
    EXPECT_NE(refusal({8, 8}, 1, 2).find("ranks 0 and 1 are both on t0"), std::string::npos);
    const Network network = test::torus_of({8, 8});
    Placement part = full_placement(network);
    part.machine_of.pop_back();
    const auto timetable = divided(network, part, 0);
    ASSERT_FALSE(timetable);
    EXPECT_EQ(to_string(timetable.error()),
              "algorithm 'torus' needs a rank on every machine, since each forwards for others, and there are 63 ranks "
              "on 64 machines; choose another algorithm, or start a rank on every machine");
}

}  // namespace
}  // namespace aapc
