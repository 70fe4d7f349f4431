// Whole schedules of the algorithm `tree`, through the checker.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>

#include "../tests/algorithms/tree/partitions.hpp"
#include "algorithms/tree/rooted_tree.hpp"
#include "support/networks.hpp"
#include "support/schedules.hpp"

namespace aapc {
namespace {

using test::build_tree_schedule;

void expect_optimal(const Network& network, const Placement& placement, const std::string& repeat) {
    for (const std::string_view variant : {"paper", "merged"}) {
        const auto built = build_tree_schedule(network, placement, variant);
        ASSERT_TRUE(built.schedule.has_value()) << variant << ": " << built.schedule.error().what << "\n" << repeat;
        ASSERT_EQ(static_cast<std::int64_t>(built.schedule->phases().size()), tree_bound(network, placement).messages)
            << variant << "\n"
            << repeat;
    }
}

// Up to 20 here; benchmarks/schedule_sweep goes to 30.
TEST(TreeSchedule, IsOptimalForEveryPartition) {
    int count = 0;
    for (int sum = 2; sum <= 20; ++sum) {
        test::for_each_partition(sum, [&](const std::vector<int>& sizes) {
            const test::TreeBuilder tree = test::star_of(sizes);
            const Network network = tree.build();
            expect_optimal(network, full_placement(network), tree.toml());
            ++count;
        });
    }
    EXPECT_GT(count, 1500);
}

TEST(TreeSchedule, IsOptimalOnRandomTreesAndParts) {
    for (std::uint64_t seed = 1; seed <= 600; ++seed) {
        const test::TreeBuilder tree = test::random_tree(seed, 1, 24);
        const Network network = tree.build();
        const Placement all = full_placement(network);
        expect_optimal(network, all, fmt::format("seed {}\n{}", seed, tree.toml()));
        expect_optimal(network, test::random_part(all, seed), fmt::format("part, seed {}\n{}", seed, tree.toml()));
    }
}

TEST(TreeSchedule, CoversEverySubsetOfASmallTree) {
    test::TreeBuilder tree;
    const int top = tree.add_switch(-1);
    const int left = tree.add_switch(top);
    const int below = tree.add_switch(left);
    const int right = tree.add_switch(top);
    tree.add_machine(left, 2);
    tree.add_machine(below);
    tree.add_machine(below, 3);
    tree.add_machine(right);
    tree.add_machine(top);
    const Network network = tree.build();
    const Placement all = full_placement(network);
    for (unsigned subset = 1; subset < 1U << all.machine_of.size(); ++subset) {
        Placement placement;
        for (std::size_t rank = 0; rank < all.machine_of.size(); ++rank) {
            if ((subset >> rank & 1U) != 0) {
                placement.machine_of.push_back(all.machine_of[rank]);
            }
        }
        expect_optimal(network, placement, fmt::format("subset {:b}", subset));
    }
}

TEST(TreeSchedule, SurvivesAVeryLongChain) {
    test::TreeBuilder tree;
    tree.add_switch(-1);
    for (int index = 1; index < 30'000; ++index) {
        tree.add_switch(index - 1);
    }
    for (const int at : {0, 7, 15'000, 29'999}) {
        tree.add_machine(at);
    }
    const Network network = tree.build();
    expect_optimal(network, full_placement(network), "chain of 30,000 switches");
}

TEST(RootedTree, OrdersBranchesAndMachinesAsTheContractSays) {
    // Branches of equal size in the order of their lowest rank; machines depth first, a switch's own machines before
    // those of its children.
    test::TreeBuilder tree;
    const int root = tree.add_switch(-1);
    const int first = tree.add_switch(root);
    const int child = tree.add_switch(first);
    const int second = tree.add_switch(root);
    tree.add_machine(second);  // n0
    tree.add_machine(child);   // n1
    tree.add_machine(first);   // n2
    tree.add_machine(second);  // n3
    tree.add_machine(root);    // n4
    const Network network = tree.build();
    const tree::RootedTree rooted = tree::root_tree(network, full_placement(network));
    EXPECT_EQ(rooted.root, root);
    EXPECT_EQ(rooted.branch_sizes, (std::vector<std::int32_t>{2, 2, 1}));
    EXPECT_EQ(rooted.rank_at, (std::vector<Rank>{0, 3, 2, 1, 4}));
}

/// A phase with machines written as in the papers' Table 4, t0,1 as 01.
std::string seat_row(const Schedule& schedule, std::size_t phase, const std::vector<std::string>& seat) {
    std::vector<std::string> cells;
    for (const Transfer& transfer : schedule.phases()[phase]) {
        cells.push_back(seat[static_cast<std::size_t>(transfer.from)] + ">" +
                        seat[static_cast<std::size_t>(transfer.to)]);
    }
    std::sort(cells.begin(), cells.end());
    std::string row;
    for (const std::string& cell : cells) {
        row += (row.empty() ? "" : " ") + cell;
    }
    return row;
}

TEST(TreeSchedule, PrintsTable4Of2005) {
    // Figure 1: s1 is the root; s0 with n0, n1 and, behind s2, n2; s3 with n3, n4; n5.
    test::TreeBuilder tree;
    const int s0 = tree.add_switch(-1);
    const int s1 = tree.add_switch(s0);
    const int s2 = tree.add_switch(s0);
    const int s3 = tree.add_switch(s1);
    tree.add_machine(s0);
    tree.add_machine(s0);
    tree.add_machine(s2);
    tree.add_machine(s3);
    tree.add_machine(s3);
    tree.add_machine(s1);
    const Network network = tree.build();
    const auto built = build_tree_schedule(network, full_placement(network), "paper");
    ASSERT_TRUE(built.schedule.has_value()) << built.schedule.error().what;
    const std::vector<std::string> seat = {"00", "01", "02", "10", "11", "20"};
    const std::vector<std::string> expected = {
        "00>11 01>00 10>20 20>01", "01>10 02>01 11>20 20>02", "00>02 02>11 20>00", "00>10 02>00 10>02",
        "00>01 01>11 10>00 11>10", "01>02 02>10 10>01",       "00>20 11>00",       "01>20 10>11 11>01 20>10",
        "02>20 11>02 20>11"};
    ASSERT_EQ(built.schedule->phases().size(), expected.size());
    for (std::size_t phase = 0; phase < expected.size(); ++phase) {
        EXPECT_EQ(seat_row(*built.schedule, phase, seat), expected[phase]) << "phase " << phase;
    }
}

TEST(TreeSchedule, PrintsTable4Of2007) {
    // Figure 1: s3 is the root; behind s2, s1: s0 with n0 and, behind s4, n1; s5 with n3, n4; n2.
    test::TreeBuilder tree;
    const int s0 = tree.add_switch(-1);
    const int s1 = tree.add_switch(s0);
    const int s2 = tree.add_switch(s1);
    const int s3 = tree.add_switch(s2);
    const int s4 = tree.add_switch(s0);
    const int s5 = tree.add_switch(s3);
    tree.add_machine(s0);
    tree.add_machine(s4);
    tree.add_machine(s3);
    tree.add_machine(s5);
    tree.add_machine(s5);
    const Network network = tree.build();
    const auto built = build_tree_schedule(network, full_placement(network), "paper");
    ASSERT_TRUE(built.schedule.has_value()) << built.schedule.error().what;
    const std::vector<std::string> seat = {"00", "01", "20", "10", "11"};
    const std::vector<std::string> expected = {
        "00>10 01>00 10>20 20>01", "00>01 01>11 11>20 20>00", "01>10 10>00",
        "00>11 10>01 11>10",       "00>20 10>11 11>01 20>10", "01>20 11>00 20>11"};
    ASSERT_EQ(built.schedule->phases().size(), expected.size());
    for (std::size_t phase = 0; phase < expected.size(); ++phase) {
        EXPECT_EQ(seat_row(*built.schedule, phase, seat), expected[phase]) << "phase " << phase;
    }
}

}  // namespace
}  // namespace aapc
