// Which messages are packed, and the memory that takes: counted again from the plans, step by step.
#include "aapc/plan/staging.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "aapc/algorithms/algorithm.hpp"
#include "aapc/methods/buffer_limit.hpp"
#include "aapc/methods/method.hpp"
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
        EXPECT_EQ(largest_buffer_blocks(*timetable, Synchronisation::none), largest);
    }
}

/// Whether a step sends on what it receives itself: the places of both, phase by phase.
bool waits_for_itself(const Plan& plan, const PhaseSteps& step) {
    std::set<std::int32_t> received;
    std::size_t receive = step.first_receive;
    for (std::size_t send = step.first_send; send < step.end_of_sends; ++send) {
        for (; receive < step.end_of_receives && plan.receives[receive].phase < plan.sends[send].phase; ++receive) {
            for (const BlockRun& run : plan.forwarding->of_receive[receive]) {
                for (std::int32_t place = run.first; place < run.first + run.blocks; ++place) {
                    if (run.buffer == BlockRun::Buffer::transit) {
                        received.insert(place);
                    }
                }
            }
        }
        for (const BlockRun& run : plan.forwarding->of_send[send]) {
            for (std::int32_t place = run.first; place < run.first + run.blocks; ++place) {
                if (run.buffer == BlockRun::Buffer::transit && received.contains(place)) {
                    return true;
                }
            }
        }
    }
    return false;
}

/// The phases of a window are one step where they can be, and never where they cannot.
TEST(Staging, StepsOfWindowsAreAsLongAsCanBe) {
    const Network network = test::chain_of({13}).build();
    for (const char* text : {"bruck/radix-2", "bruck/radix-4", "bruck/radix-8"}) {
        const Method method = *parse_method(text, NetworkKind::tree);
        const auto timetable = build_timetable(*method.algorithm, method.variant, network, full_placement(network));
        for (const Phase window : {Phase{1}, Phase{2}, Phase{3}, all_phases}) {
            SCOPED_TRACE(fmt::format("{}, {} phases", text, window));
            const Plan plan =
                make_plan(**timetable, 5, Synchronisation::with_blocks(Synchronisation::Kind::window, window));
            const std::vector<PhaseSteps> steps = steps_of(plan);
            std::size_t sends = 0;
            for (std::size_t index = 0; index < steps.size(); ++index) {
                EXPECT_FALSE(waits_for_itself(plan, steps[index])) << "step " << index;
                EXPECT_EQ(steps[index].first_send, sends) << "a gap";
                sends = steps[index].end_of_sends;
                const Phase last = plan.sends[sends - 1].phase;
                EXPECT_EQ(steps[index].phase / window, last / window) << "longer than a window";
                if (index > 0 && steps[index - 1].phase / window == steps[index].phase / window) {
                    PhaseSteps both = steps[index - 1];
                    both.end_of_sends = steps[index].first_send + 1;
                    EXPECT_TRUE(waits_for_itself(plan, both)) << "step " << index << " need not wait";
                }
            }
            EXPECT_EQ(sends, plan.sends.size());
        }
    }
}

TEST(Staging, IsNothingWhereNothingIsForwarded) {
    const Network network = test::torus_of({8, 4});
    const auto timetable = build_timetable(**find_algorithm("torus-direct"), "", network, full_placement(network));
    const Plan plan = make_plan(**timetable, 3, Synchronisation::none);
    EXPECT_EQ(plan_staging(plan).blocks, 0U);
    EXPECT_EQ(buffer_blocks(plan), 0);
    EXPECT_EQ(largest_buffer_blocks(**timetable, Synchronisation::none), 0);
}

}  // namespace
}  // namespace aapc
