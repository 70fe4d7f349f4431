// The dummy messages of 2007, section 5.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "aapc/offline/synchronise.hpp"
#include "aapc/offline/tabulate.hpp"
#include "support/networks.hpp"
#include "support/schedules.hpp"

namespace aapc {
namespace {

/// A schedule of every message in a phase of its own, in the order of sender and receiver: most ranks idle. The network
/// must outlive it.
Schedule one_by_one(const Network& network) {
    const Placement placement = full_placement(network);
    ScheduleDraft draft{"one by one", "", std::nullopt, {}, Guarantee::contention_free};
    for (Rank from = 0; from < placement.participants(); ++from) {
        for (Rank to = 0; to < placement.participants(); ++to) {
            if (from != to) {
                draft.phases.push_back({{static_cast<Phase>(draft.phases.size()), from, to}});
            }
        }
    }
    return *check_schedule(std::move(draft), network, placement);
}

std::vector<Transfer> dummies_of_phase(const Schedule& schedule, Phase phase) {
    std::vector<Transfer> list = dummy_transfers(schedule, Synchronisation::dummy);
    std::erase_if(list, [&](const Transfer& dummy) { return dummy.phase != phase; });
    return list;
}

TEST(Dummies, GoToTheLowestIdleNeighbour) {
    const Network network = test::chain_of({4, 2}).build();
    const Schedule schedule = one_by_one(network);
    // 0->1: of the first switch 1, 2, 3 send nothing and 0, 2, 3 receive nothing.
    EXPECT_EQ(dummies_of_phase(schedule, 0),
              (std::vector<Transfer>{{0, 1, 0}, {0, 2, 3}, {0, 3, 2}, {0, 4, 5}, {0, 5, 4}}));
    // 0->2: 1 takes 0, and of 1 and 3 the second sender, 2, takes 1.
    EXPECT_EQ(dummies_of_phase(schedule, 1),
              (std::vector<Transfer>{{1, 1, 0}, {1, 2, 1}, {1, 3, 3}, {1, 4, 5}, {1, 5, 4}}));
    // 0->4: 1 takes 0; on the second switch only 5 is left to receive, and that is 4's.
    EXPECT_EQ(dummies_of_phase(schedule, 3),
              (std::vector<Transfer>{{3, 1, 0}, {3, 2, 1}, {3, 3, 2}, {3, 4, 5}, {3, 5, 5}}));
}

TEST(Dummies, RanksOfOneMachineShareItsSwitch) {
    test::TreeBuilder tree;
    const int top = tree.add_switch(-1);
    tree.add_machine(top, 2);
    tree.add_machine(top);
    tree.add_machine(tree.add_switch(top), 2);
    const Network network = tree.build();
    const Schedule schedule = one_by_one(network);
    // 0->1 leaves 1 and 2 to send, 0 and 2 to receive; 3 and 4 have each other.
    EXPECT_EQ(dummies_of_phase(schedule, 0), (std::vector<Transfer>{{0, 1, 0}, {0, 2, 2}, {0, 3, 4}, {0, 4, 3}}));
}

TEST(Dummies, OtherKindsAndSchedulesWithContentionHaveNone) {
    const Network network = test::chain_of({3, 2}).build();
    const auto built = test::build_tree_schedule(network, full_placement(network), "merged");
    for (const SynchronisationEntry& entry : synchronisations()) {
        const auto dummies =
            dummy_transfers(*built.schedule, Synchronisation::with_blocks(entry.kind, entry.has_blocks ? 2 : 0));
        EXPECT_EQ(dummies.empty(), entry.kind != Synchronisation::Kind::dummy) << entry.name;
    }
    for (const Guarantee guarantee : {Guarantee::one_port, Guarantee::nothing}) {
        ScheduleDraft draft = tabulate(*built.timetable, "tree", "merged", std::nullopt);
        draft.guarantee = guarantee;
        const auto loose = check_schedule(std::move(draft), network, full_placement(network));
        ASSERT_TRUE(loose.has_value()) << loose.error().what;
        EXPECT_TRUE(dummy_transfers(*loose, Synchronisation::dummy).empty());
    }
}

TEST(Dummies, PassTheirCheckOnRandomTreesAndParts) {
    std::size_t to_others = 0;
    std::size_t to_oneself = 0;
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        const test::TreeBuilder tree = test::random_tree(seed, 1, 16);
        const Network network = tree.build();
        for (const Placement& placement : {full_placement(network), test::random_part(full_placement(network), seed)}) {
            const auto built = test::build_tree_schedule(network, placement, seed % 2 == 0 ? "paper" : "merged");
            ASSERT_TRUE(built.schedule.has_value());
            const std::vector<Transfer> dummies = dummy_transfers(*built.schedule, Synchronisation::dummy);
            const auto violation = check_dummies(*built.schedule, dummies);
            ASSERT_FALSE(violation.has_value()) << violation->what << "\nseed " << seed << "\n" << tree.toml();
            for (const Transfer& dummy : dummies) {
                ++(dummy.from == dummy.to ? to_oneself : to_others);
            }
        }
    }
    EXPECT_GT(to_others, 1000U);
    EXPECT_GT(to_oneself, 1000U);
}

}  // namespace
}  // namespace aapc
