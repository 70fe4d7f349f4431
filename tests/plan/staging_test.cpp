// Which messages are packed, and the memory that takes: counted again from the plans, step by step.
#include "aapc/plan/staging.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "aapc/algorithms/algorithm.hpp"
#include "aapc/methods/buffer_limit.hpp"
#include "aapc/plan/plan.hpp"
#include "support/networks.hpp"
#include "support/torus.hpp"

namespace aapc {
namespace {

std::unique_ptr<Timetable> torus(const test::Sides& sides, int divisions) {
    const Network network = test::torus_of(sides);
    auto timetable = build_timetable(**find_algorithm("torus"), fmt::format("divisions-{}", divisions), network,
                                     full_placement(network));
    return std::move(*timetable);
}

std::int64_t blocks_of(const std::vector<BlockRun>& runs) {
    std::int64_t blocks = 0;
    for (const BlockRun& run : runs) {
        blocks += run.blocks;
    }
    return blocks;
}

/// Adds what is staged of these messages to the phases they belong to, and checks where each starts.
void count(const std::vector<Transfer>& transfers, const std::vector<std::vector<BlockRun>>& runs,
           const std::vector<std::ptrdiff_t>& staged,
           std::map<Phase, std::vector<std::pair<std::int64_t, std::int64_t>>>& pieces, Staging& counted) {
    ASSERT_EQ(staged.size(), transfers.size());
    for (std::size_t index = 0; index < transfers.size(); ++index) {
        if (staged[index] == Staging::in_place) {
            ASSERT_EQ(runs[index].size(), 1U) << "only what lies in one piece can stay";
            continue;
        }
        const std::int64_t blocks = blocks_of(runs[index]);
        pieces[transfers[index].phase].emplace_back(staged[index], staged[index] + blocks);
        counted.copied_blocks += blocks;
        counted.copies += static_cast<std::int64_t>(runs[index].size());
    }
}

TEST(Staging, HoldsTheMessagesOfAStepSideBySide) {
    const std::vector<std::pair<test::Sides, int>> cases{{{4, 4}, 0}, {{8, 8}, 0},    {{8, 8}, 1},    {{8, 8}, 2},
                                                         {{3, 5}, 0}, {{4, 2, 4}, 0}, {{4, 4, 4}, 1}, {{6}, 0}};
    for (const auto& [sides, divisions] : cases) {
        const auto timetable = torus(sides, divisions);
        std::int64_t largest = 0;
        for (Rank rank = 0; rank < timetable->participants(); ++rank) {
            SCOPED_TRACE(fmt::format("{}, {} divisions, rank {}", test::text(sides), divisions, rank));
            const Plan plan = make_plan(*timetable, rank, Synchronisation::none);
            const Staging staging = plan_staging(plan);
            Staging counted;
            std::map<Phase, std::vector<std::pair<std::int64_t, std::int64_t>>> pieces;
            count(plan.sends, plan.forwarding->of_send, staging.of_send, pieces, counted);
            count(plan.receives, plan.forwarding->of_receive, staging.of_receive, pieces, counted);
            std::int64_t most = 0;
            for (auto& [phase, in_phase] : pieces) {
                std::sort(in_phase.begin(), in_phase.end());
                std::int64_t end = 0;
                for (const auto& [from, to] : in_phase) {
                    ASSERT_EQ(from, end) << "phase " << phase << ": a gap, or two messages in one place";
                    end = to;
                }
                most = std::max(most, end);
            }
            ASSERT_EQ(static_cast<std::int64_t>(staging.blocks), most);
            ASSERT_EQ(staging.copied_blocks, counted.copied_blocks);
            ASSERT_EQ(staging.copies, counted.copies);
            ASSERT_LE(staging.copies, staging.copied_blocks);
            ASSERT_EQ(buffer_blocks(plan), plan.forwarding->transit_blocks + most);
            largest = std::max(largest, buffer_blocks(plan));
        }
        EXPECT_EQ(largest_buffer_blocks(*timetable), largest);
    }
}

TEST(Staging, IsNothingWhereNothingIsForwarded) {
    const Network network = test::torus_of({8, 4});
    const auto timetable = build_timetable(**find_algorithm("torus-direct"), "", network, full_placement(network));
    const Plan plan = make_plan(**timetable, 3, Synchronisation::none);
    EXPECT_EQ(plan_staging(plan).blocks, 0U);
    EXPECT_EQ(buffer_blocks(plan), 0);
    EXPECT_EQ(largest_buffer_blocks(**timetable), 0);
}

/// With every limit from nothing to plenty, the choice is the largest number of divisions that fits.
TEST(BufferLimit, TakesTheLargestNumberOfDivisionsThatFits) {
    const Network network = test::torus_of({8, 8});
    const Placement placement = full_placement(network);
    std::vector<std::int64_t> needs;
    for (const int divisions : {0, 1, 2}) {
        needs.push_back(largest_buffer_blocks(*torus({8, 8}, divisions)));
    }
    ASSERT_TRUE(needs[0] < needs[1] && needs[1] < needs[2]);
    for (int wanted = 0; wanted <= 2; ++wanted) {
        const Method method = *parse_method(fmt::format("torus/divisions-{}", wanted), NetworkKind::torus);
        for (int fitting = -1; fitting <= 2; ++fitting) {
            const std::int64_t limit = fitting < 0 ? needs[0] - 1 : needs[static_cast<std::size_t>(fitting)];
            const auto fitted = fit_buffers(network, placement, method, limit);
            ASSERT_EQ(fitted.has_value(), fitting >= 0);
            if (fitted) {
                const int expected = std::min(wanted, fitting);
                EXPECT_EQ(fitted->chosen.method.variant, fmt::format("divisions-{}", expected));
                EXPECT_EQ(fitted->chosen.method.synchronisation, method.synchronisation);
                EXPECT_EQ(fitted->chosen.buffer_blocks, needs[static_cast<std::size_t>(expected)]);
                EXPECT_EQ(fitted->too_large.size(), static_cast<std::size_t>(wanted - expected));
            }
        }
    }
    const auto refused = fit_buffers(network, placement, *parse_method("torus", NetworkKind::torus), 5);
    ASSERT_FALSE(refused);
    EXPECT_EQ(to_string(refused.error()),
              fmt::format("torus/divisions-0 needs buffers of {} blocks, and the limit is 5; allow more, or choose an "
                          "algorithm that forwards nothing",
                          needs[0]));
    EXPECT_TRUE(fit_buffers(network, placement, *parse_method("torus-direct", NetworkKind::torus), 0));
    EXPECT_FALSE(with_smaller_buffers(*parse_method("bruck", NetworkKind::torus)));
    EXPECT_FALSE(with_smaller_buffers(Method{}));
}

}  // namespace
}  // namespace aapc
