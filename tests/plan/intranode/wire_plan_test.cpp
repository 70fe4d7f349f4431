#include "plan/intranode/wire_plan.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "aapc/algorithms/algorithm.hpp"
#include "aapc/methods/method.hpp"
#include "plan/intranode/worlds.hpp"

namespace aapc {
namespace {

class WirePlan : public ::testing::TestWithParam<const char*> {};

// What is left crosses the border of the machine, what is gone does not, and order and phases stay.
TEST_P(WirePlan, LosesWhatStaysInsideTheMachineAndNothingElse) {
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        const test::MachineWorld world = test::random_machines(seed);
        const Method method = *parse_method(GetParam(), NetworkKind::tree);
        const auto timetable = build_timetable(*method.algorithm, method.variant, world.network, world.placement);
        ASSERT_TRUE(timetable);
        for (Rank rank = 0; rank < world.placement.participants(); ++rank) {
            const Plan whole = make_plan(**timetable, world.placement, rank, method.synchronisation);
            const auto crosses = [&](const Transfer& transfer) {
                return world.placement.machine_of[static_cast<std::size_t>(transfer.from)] !=
                       world.placement.machine_of[static_cast<std::size_t>(transfer.to)];
            };
            std::vector<Transfer> sends = whole.sends;
            std::vector<Transfer> receives = whole.receives;
            if (!uses_edges(method.synchronisation)) {
                std::erase_if(sends, [&](const Transfer& transfer) { return !crosses(transfer); });
                std::erase_if(receives, [&](const Transfer& transfer) { return !crosses(transfer); });
            }
            const Plan wire = machine::wire_plan(whole);
            ASSERT_EQ(wire.sends, sends) << world.repeat;
            ASSERT_EQ(wire.receives, receives) << world.repeat;
            ASSERT_EQ(wire.waits, whole.waits) << world.repeat;
            ASSERT_EQ(wire.signals, whole.signals) << world.repeat;
            ASSERT_EQ(wire.phases, whole.phases) << world.repeat;
            Phase end = 0;
            for (const auto* const list : {&wire.sends, &wire.receives, &wire.dummy_sends, &wire.dummy_receives}) {
                for (const Transfer& transfer : *list) {
                    end = std::max(end, transfer.phase + 1);
                }
            }
            ASSERT_EQ(machine::end_of_messages(wire), end) << world.repeat;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Methods, WirePlan,
                         ::testing::Values("factor/fill+window:1", "factor/paper+ports:1", "ring+none",
                                           "tree/merged+timed", "tree/merged+sender", "tree/paper+receiver",
                                           "tree/paper+dummy", "linear+window:all"));

// The inner work of `fill` is at the end: on one machine with much of it the plan becomes shorter.
TEST(WirePlanEnd, ComesBeforeTheInnerWorkOfFactor) {
    test::TreeBuilder tree;
    const int root = tree.add_switch(-1, 1e9);
    tree.add_machine(root, 4, 1e9);
    tree.add_machine(root, 4, 1e9);
    const Network network = tree.build();
    const Placement placement = full_placement(network);
    const auto timetable = build_timetable(**find_algorithm("factor"), "fill", network, placement);
    ASSERT_TRUE(timetable);
    const Plan plan = make_plan(**timetable, placement, 0, Synchronisation::none);
    EXPECT_EQ(plan.phases, 16 + 10);  // n·(P-n) on the wire, n·(n+1)/2 inside
    EXPECT_LE(machine::end_of_messages(machine::wire_plan(plan)), 16);
}

}  // namespace
}  // namespace aapc
