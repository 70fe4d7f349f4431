// The work of torus algorithms by formula, against the corrected formulas of the paper and against what the checker's
// schedules do; and the choice between them.
#include "aapc/algorithms/torus_model.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "aapc/algorithms/algorithm.hpp"
#include "aapc/check/schedule.hpp"
#include "aapc/offline/tabulate.hpp"
#include "algorithms/torus/division.hpp"
#include "support/torus.hpp"
#include "support/torus_costs.hpp"

namespace aapc {

void PrintTo(const TorusWork& work, std::ostream* out) {
    *out << fmt::format("{} start-ups, {} blocks sent, {} rearranged, {} held", work.start_ups, work.sent_blocks,
                        work.rearranged_blocks, work.buffer_blocks);
}

namespace {

using test::Sides;

TorusGrid grid_of(Sides sides) {
    std::erase(sides, 1);
    return TorusGrid(sides);
}

TorusWork work_of(const Sides& sides, int divisions) {
    const auto work = divided_work(grid_of(sides), divisions);
    EXPECT_TRUE(work) << test::text(sides) << ", " << divisions << " divisions";
    return work.value_or(TorusWork{});
}

/// The corrected formulas of docs/torus.md for N x N, from N/2^K = 8 on; below that with fewer stages in the exchange.
TEST(TorusModel, EqualsTheCorrectedFormulas) {
    for (std::int64_t side = 4; side <= 256; side += 4) {
        for (int divisions = 0; side % (4LL << divisions) == 0; ++divisions) {
            const std::int64_t unit = std::int64_t{1} << divisions;
            const std::int64_t square = side * side;
            const std::int64_t stages_of_exchange = side / unit >= 8 ? 4 : 2;
            const TorusWork expected{3 * divisions + side / (2 * unit) + 2,
                                     square * side / 4 + square * (7 * unit - 5) / 2,
                                     (4 * (unit - 1) + (stages_of_exchange - 1) * unit) * square, unit * square};
            EXPECT_EQ(work_of({static_cast<std::int32_t>(side), static_cast<std::int32_t>(side)}, divisions), expected)
                << side << ", " << divisions << " divisions";
        }
    }
    // A_{n-1}: 3 log N - 1, 1.75 N³ - 2.5 N² and 2 N³ - 4 N².
    for (int logarithm = 2; logarithm <= 8; ++logarithm) {
        const std::int64_t side = std::int64_t{1} << logarithm;
        const std::int64_t square = side * side;
        EXPECT_EQ(work_of({static_cast<std::int32_t>(side), static_cast<std::int32_t>(side)}, logarithm - 1),
                  (TorusWork{3 * logarithm - 1, (7 * square * side - 10 * square) / 4, 2 * square * side - 4 * square,
                             square * side / 2}));
    }
    // A1 rearranges 10 N², Suh 3 N², as the paper counts; three dimensions: A1 has 3N/8 + 7 start-ups, Suh 3N/4 + 3.
    EXPECT_EQ(work_of({16, 16}, 1), (TorusWork{9, 2176, 2560, 512}));
    EXPECT_EQ(work_of({16, 16}, 0), (TorusWork{10, 1280, 768, 256}));
    EXPECT_EQ(work_of({32, 32, 32}, 0).start_ups, 27);
    EXPECT_EQ(work_of({32, 32, 32}, 1).start_ups, 19);
}

Expected<TorusWork> followed(const Sides& sides, int divisions) {
    const Network network = test::torus_of(sides);
    const Placement placement = full_placement(network);
    const auto timetable =
        build_timetable(**find_algorithm("torus"), fmt::format("divisions-{}", divisions), network, placement);
    if (!timetable) {
        return failure(timetable.error());
    }
    const auto schedule = schedule_of_timetable(**timetable, "torus", "", std::nullopt, network, placement);
    EXPECT_TRUE(schedule) << schedule.error().what;
    return test::followed(*schedule, *torus::Division::plan(grid_of(sides), divisions));
}

/// Without divisions the counts are equal. With divisions, blocks that are where they belong stay there, and the
/// formula counts them as if they went away and came back.
TEST(TorusModel, IsWhatTheSchedulesDo) {
    int divided_ones = 0;
    for (const Sides& sides : test::small_tori(48)) {
        if (std::count(sides.begin(), sides.end(), 1) > 0) {
            continue;  // a torus of fewer sides
        }
        for (int divisions = 0;; ++divisions) {
            const auto followed_work = followed(sides, divisions);
            const auto work = divided_work(grid_of(sides), divisions);
            ASSERT_EQ(followed_work.has_value(), work.has_value());
            if (!work || grid_of(sides).dimensions() == 0) {
                break;
            }
            SCOPED_TRACE(fmt::format("{}, {} divisions", test::text(sides), divisions));
            if (divisions == 0) {
                ASSERT_EQ(*followed_work, *work);
                continue;
            }
            ++divided_ones;
            ASSERT_EQ(followed_work->start_ups, work->start_ups);
            const auto just_below = [](std::int64_t counted, std::int64_t by_formula) {
                return counted < by_formula && counted > by_formula / 5 * 4;
            };
            ASSERT_PRED2(just_below, followed_work->sent_blocks, work->sent_blocks);
            ASSERT_PRED2(just_below, followed_work->buffer_blocks, work->buffer_blocks);
            ASSERT_PRED2(just_below, followed_work->rearranged_blocks, work->rearranged_blocks);
        }
    }
    EXPECT_GT(divided_ones, 40);
}

TEST(TorusModel, DirectHasItsPhases) {
    for (const Sides& sides : {Sides{8, 8}, Sides{12, 12}, Sides{16, 16}, Sides{32, 32}, Sides{64, 64}}) {
        const std::int64_t side = sides[0];
        EXPECT_EQ(direct_work(grid_of(sides)), (TorusWork{side * side * side / 8, side * side * side / 8, 0, 0}));
    }
    EXPECT_EQ(direct_work(grid_of({6, 10})), (TorusWork{90, 90, 0, 0}));
    EXPECT_EQ(direct_work(grid_of({7, 8})), std::nullopt);
    EXPECT_EQ(direct_work(grid_of({1, 1})), std::nullopt);
}

TEST(TorusModel, PublishedTable) {
    const auto rows = published_table(32);
    ASSERT_EQ(rows.size(), 4U);
    EXPECT_EQ(rows[0].work, (TorusWork{14, 63'488, 81'920, 0})) << "A_{n-1}";
    EXPECT_EQ(rows[0].divisions, 4);
    EXPECT_EQ(rows[1].work, (TorusWork{13, 10'752, 10'240, 0})) << "A_1";
    EXPECT_EQ(rows[2].work, (TorusWork{18, 9'216, 17'408, 0})) << "Tseng et al.";
    EXPECT_EQ(rows[3].work, (TorusWork{18, 9'216, 3'072, 0})) << "Suh";
    // Its start-ups are right, what it says of blocks is so for Suh's alone.
    for (const std::int32_t side : {8, 16, 32, 64}) {
        for (const PublishedWork& row : published_table(side)) {
            if (row.divisions) {
                const TorusWork work = work_of({side, side}, *row.divisions);
                EXPECT_EQ(row.work.start_ups, work.start_ups) << row.algorithm;
                EXPECT_EQ(row.work.sent_blocks == work.sent_blocks, row.divisions == 0) << row.algorithm;
            }
        }
    }
    EXPECT_TRUE(published_table(12).empty());
    EXPECT_TRUE(published_table(2).empty());
    EXPECT_TRUE(published_table(131'072).empty());
}

/// ts = 30 us, td = 10 ns a byte: from which size on Suh's is better than A1, and direct better than Suh's.
TEST(TorusModel, BreakEvenSizes) {
    struct Row {
        std::int32_t side;
        double copy_seconds_per_byte;
        double suh;  ///< 0: always
        double direct;
    };
    const Row rows[] = {{8, 0, 0, 1359},   {16, 0, 3.3, 1961},    {32, 0, 4.2, 2389},    {64, 0, 2.7, 2664},
                        {8, 5e-9, 0, 777}, {16, 5e-9, 1.7, 1307}, {32, 5e-9, 2.1, 1838}, {64, 5e-9, 1.4, 2283}};
    for (const Row& row : rows) {
        SCOPED_TRACE(fmt::format("{} x {}, {} s a byte copied", row.side, row.side, row.copy_seconds_per_byte));
        const TorusCosts costs{30e-6, 10e-9, row.copy_seconds_per_byte};
        const TorusWork suh = work_of({row.side, row.side}, 0);
        const auto against_a1 = break_even_bytes(work_of({row.side, row.side}, 1), suh, costs);
        const auto against_direct = break_even_bytes(suh, *direct_work(grid_of({row.side, row.side})), costs);
        ASSERT_TRUE(against_a1 && against_direct);
        EXPECT_NEAR(*against_a1, row.suh, 0.05);
        EXPECT_NEAR(*against_direct, row.direct, 0.5);
    }
    EXPECT_EQ(break_even_bytes(work_of({8, 8}, 0), work_of({8, 8}, 1), {30e-6, 10e-9, 0}), std::nullopt);
}

TEST(TorusModel, EnvelopeOf32By32) {
    const auto candidates = torus_candidates(TorusGrid({32, 32}));
    ASSERT_EQ(candidates.size(), 6U);
    const auto ranges = fastest_by_size(candidates, {30e-6, 10e-9, 0});
    ASSERT_EQ(ranges.size(), 4U);
    const char* const methods[] = {"torus/divisions-2", "torus/divisions-1", "torus/divisions-0", "torus-direct/plain"};
    const double from[] = {0, 0.4, 4.2, 2389};
    for (std::size_t index = 0; index < ranges.size(); ++index) {
        EXPECT_EQ(candidates[ranges[index].candidate].method, methods[index]);
        EXPECT_NEAR(ranges[index].from_bytes, from[index], index == 3 ? 0.5 : 0.05);
    }
}

/// The candidate of the range a size falls into takes no longer than any other, for random tori, costs and sizes.
TEST(TorusModel, NoCandidateBeatsTheChoice) {
    const auto tori = test::small_tori(512);
    for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        std::mt19937_64 random(seed);
        const Sides& sides = tori[random() % tori.size()];
        const auto candidates = torus_candidates(grid_of(sides));
        const auto power = [&](int lowest, int values) {
            return std::pow(10.0, lowest + static_cast<int>(random() % static_cast<std::uint64_t>(values)));
        };
        const TorusCosts costs{seed % 7 == 0 ? 0 : power(-7, 4), power(-10, 3), seed % 3 == 0 ? 0 : power(-11, 3)};
        const auto ranges = fastest_by_size(candidates, costs);
        ASSERT_EQ(ranges.empty(), candidates.empty());
        ASSERT_TRUE(std::is_sorted(ranges.begin(), ranges.end(), [](const TorusRange& left, const TorusRange& right) {
            return left.from_bytes < right.from_bytes;
        }));
        for (int sample = 0; sample < 20 && !ranges.empty(); ++sample) {
            const double bytes = power(-1, 8) * (1 + static_cast<double>(random() % 9));
            std::size_t range = 0;
            while (range + 1 < ranges.size() && ranges[range + 1].from_bytes <= bytes) {
                ++range;
            }
            const double chosen = predict_seconds(candidates[ranges[range].candidate].work, costs, bytes);
            for (const TorusCandidate& candidate : candidates) {
                ASSERT_GE(predict_seconds(candidate.work, costs, bytes), chosen * (1 - 1e-12))
                    << candidate.method << " on " << test::text(sides) << " at " << bytes;
            }
        }
    }
}

}  // namespace
}  // namespace aapc
