#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "aapc/offline/schedule_text.hpp"
#include "aapc/offline/synchronise.hpp"
#include "aapc/offline/tabulate.hpp"
#include "check/drafts.hpp"
#include "offline/schedules/branches.hpp"
#include "support/networks.hpp"
#include "support/schedules.hpp"

namespace aapc {
namespace {

using Branches = std::vector<std::vector<Rank>>;

Branches branches_of(const Network& network) { return documents::balanced_branches(network, full_placement(network)); }

/// Figure 1 of 2005, its root first: n5 is plugged into it, n0 n1 n2 and n3 n4 into switches below.
test::TreeBuilder figure_1_of_2005() { return test::star_of({3, 2, 1}); }

TEST(BalancedBranches, AsInThePapers) {
    EXPECT_EQ(branches_of(test::star_of({2, 3, 1}).build()), (Branches{{2, 3, 4}, {0, 1}, {5}})) << "largest first";
    EXPECT_EQ(branches_of(test::star_of({2, 2, 2}).build()), (Branches{{0, 1}, {2, 3}, {4, 5}}));
    EXPECT_EQ(branches_of(test::chain_of({3}).build()), (Branches{{0}, {1}, {2}}));
    EXPECT_EQ(branches_of(test::chain_of({2, 0, 2}).build()), (Branches{{2, 3}, {0}, {1}}));
    EXPECT_EQ(branches_of(test::chain_of({1, 0, 1}).build()), (Branches{{0}, {1}}));
    EXPECT_EQ(branches_of(figure_1_of_2005().build()), (Branches{{0, 1, 2}, {3, 4}, {5}}));
}

TEST(BalancedBranches, RanksOfOneMachine) {
    test::TreeBuilder tree;
    tree.add_switch(-1);
    tree.add_machine(0, 3);
    tree.add_machine(0, 1);
    EXPECT_EQ(branches_of(tree.build()), (Branches{{0}, {1}, {2}, {3}})) << "the machine is the centre";
}

TEST(BalancedBranches, NothingToGroup) {
    EXPECT_EQ(documents::balanced_branches(test::chain_of({3}).build(), {}), Branches());
    EXPECT_EQ(documents::balanced_branches(test::chain_of({3}).build(), Placement{{1}}), (Branches{{0}}));
    EXPECT_EQ(documents::balanced_branches(Network(NetworkKind::torus, {{"t", false}}, {}, {{0, 1}}), Placement{{0}}),
              Branches());
}

/// No branch holds more than half, and each participant is in one branch.
TEST(BalancedBranches, RandomTrees) {
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        const Network network = test::random_tree(seed, 1, 30).build();
        const Placement placement = test::random_part(full_placement(network), seed);
        std::vector<int> seen(placement.machine_of.size(), 0);
        std::size_t previous = placement.machine_of.size();
        for (const std::vector<Rank>& branch : documents::balanced_branches(network, placement)) {
            EXPECT_TRUE(2 * branch.size() <= seen.size() || seen.size() == 1) << "seed " << seed;
            EXPECT_LE(branch.size(), previous) << "seed " << seed;
            previous = branch.size();
            for (const Rank rank : branch) {
                ++seen[static_cast<std::size_t>(rank)];
            }
        }
        EXPECT_THAT(seen, testing::Each(1)) << "seed " << seed;
    }
}

/// Table 4 of 2005.
TEST(ScheduleTable, ColumnsPerBranch) {
    const Network network = figure_1_of_2005().build();
    const auto built = test::build_tree_schedule(network, full_placement(network), "paper");
    const std::string text = schedule_table(*built.schedule, Synchronisation::none, {});
    EXPECT_EQ(text, R"(tree paper: 6 participants, 30 messages, 9 phases = the bound
T0 = n0 n1 n2
T1 = n3 n4
T2 = n5

       global messages         local messages
phase  T0->    T1->    T2->    T0      T1
    0  n0->n4  n3->n5  n5->n1  n1->n0
    1  n1->n3  n4->n5  n5->n2  n2->n1
    2  n2->n4          n5->n0  n0->n2
    3  n0->n3  n3->n2          n2->n0
    4  n1->n4  n3->n0          n0->n1  n4->n3
    5  n2->n3  n3->n1          n1->n2
    6  n0->n5  n4->n0
    7  n1->n5  n4->n1  n5->n3          n3->n4
    8  n2->n5  n4->n2  n5->n4

synchronisation none
)");
}

TEST(ScheduleTable, ListsWhereBranchesAreManyOrNone) {
    const Network network = test::chain_of({9}).build();
    const Schedule schedule = *check_schedule(test::ring_draft(9), network, full_placement(network));
    const std::string text = schedule_table(schedule, Synchronisation::timed, {});
    EXPECT_THAT(text, testing::StartsWith("ring: 9 participants, 72 messages, 8 phases = the bound\n\nphase  messages\n"
                                          "    0  n0->n1  n1->n2  n2->n3  n3->n4  n4->n5  n5->n6  n6->n7  n7->n8  "
                                          "n8->n0\n    1  n0->n2"));
    EXPECT_THAT(text, testing::EndsWith("n8->n7\n\nsynchronisation timed\n"));
}

TEST(ScheduleTable, EdgesBelow) {
    const Network network = test::chain_of({3}).build();
    ScheduleDraft draft = test::ring_draft(3);
    draft.guarantee = Guarantee::contention_free;
    const Schedule schedule = *check_schedule(draft, network, full_placement(network));
    EXPECT_EQ(schedule_table(schedule, Synchronisation::sender, {{{0, 0, 1}, {1, 2, 1}}, {{0, 1, 2}, {1, 0, 2}}}),
              R"(ring: 3 participants, 6 messages, 2 phases; guarantee: contention-free
T0 = n0
T1 = n1
T2 = n2

       global messages
phase  T0->    T1->    T2->
    0  n0->n1  n1->n2  n2->n0
    1  n0->n2  n1->n0  n2->n1

synchronisation sender: 2 edges
n0->n1 before n2->n1
n1->n2 before n0->n2
)");
}

TEST(ScheduleTable, OneParticipant) {
    const Network network = test::chain_of({2}).build();
    const Schedule schedule = *check_schedule({"tree", "merged", 0, {}}, network, Placement{{1}});
    EXPECT_EQ(
        schedule_table(schedule, Synchronisation::none, {}),
        "tree merged: 1 participants, 0 messages, 0 phases = the bound\n\nphase  messages\n\nsynchronisation none\n");
}

/// The table of an algorithm on three machines of one switch.
std::string table_of(std::string_view name, const Synchronisation& synchronisation) {
    const Network network = test::chain_of({3}).build();
    const Placement placement = full_placement(network);
    const Algorithm& algorithm = **find_algorithm(name);
    const std::string variant(algorithm.variants.front());
    const auto timetable = build_timetable(algorithm, variant, network, placement);
    const auto schedule =
        schedule_of_timetable(**timetable, std::string(name), variant, std::nullopt, network, placement);
    return schedule_table(*schedule, synchronisation, {});
}

TEST(ScheduleTable, RowsOfPhasesForAnyGuarantee) {
    EXPECT_EQ(table_of("linear", Synchronisation::with_blocks(Synchronisation::Kind::window, all_phases)),
              R"(linear plain: 3 participants, 6 messages, 3 phases; guarantee: nothing

phase  messages
    0  n1->n0  n2->n0
    1  n0->n1  n2->n1
    2  n0->n2  n1->n2

synchronisation window:all
)");
    EXPECT_EQ(table_of("ring", Synchronisation::with_blocks(Synchronisation::Kind::window, 1)),
              R"(ring plain: 3 participants, 6 messages, 2 phases; guarantee: one-port

phase  messages
    0  n0->n1  n1->n2  n2->n0
    1  n0->n2  n1->n0  n2->n1

synchronisation window:1
)");
}

TEST(ScheduleTable, BlocksMessageByMessage) {
    EXPECT_EQ(table_of("bruck", Synchronisation::none),
              R"(bruck radix-2: 3 participants, 6 messages, 2 phases; guarantee: one-port
buffers for 0 blocks at most on a rank, 0 of them in transit; at most 0 blocks copied, in 0 pieces

phase  messages
    0  n0->n1  n1->n2  n2->n0
    1  n0->n2  n1->n0  n2->n1

phase  message: blocks
    0  n0->n1: n0->n1
    0  n1->n2: n1->n2
    0  n2->n0: n2->n0
    1  n0->n2: n0->n2
    1  n1->n0: n1->n0
    1  n2->n1: n2->n1

synchronisation none
)");
}

TEST(ScheduleTable, DummiesBelow) {
    const Network network = test::chain_of({1, 2}).build();
    const auto built = test::build_tree_schedule(network, full_placement(network), "merged");
    const std::string text = schedule_table(*built.schedule, Synchronisation::dummy, {});
    const std::vector<Transfer> dummies = dummy_transfers(*built.schedule, Synchronisation::dummy);
    const std::size_t begin = text.find("\nsynchronisation dummy: ");
    ASSERT_NE(begin, std::string::npos) << text;
    std::string expected = fmt::format("\nsynchronisation dummy: {} dummies\n", dummies.size());
    std::map<Phase, std::string> lines;
    for (const Transfer& dummy : dummies) {
        lines[dummy.phase] += fmt::format("  n{}->n{}", dummy.from, dummy.to);
    }
    expected += lines.empty() ? "" : "phase  dummies\n";
    for (const auto& [phase, line] : lines) {
        expected += fmt::format("{:>5}{}\n", phase, line);
    }
    EXPECT_EQ(text.substr(begin), expected);
    EXPECT_EQ(schedule_table(*check_schedule({"", "", 0, {}}, network, Placement{{0}}), Synchronisation::dummy, {}),
              ": 1 participants, 0 messages, 0 phases = the bound\n\nphase  messages\n\nsynchronisation dummy: 0 "
              "dummies\n");
}

}  // namespace
}  // namespace aapc
