// `aggregate` through the checker, which follows every block, and against the formulas of docs/aggregate.md: how many
// messages and blocks cross the wires, how often a block is sent, how even the shares are.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <random>
#include <set>

#include "aapc/algorithms/algorithm.hpp"
#include "aapc/check/schedule.hpp"
#include "aapc/offline/tabulate.hpp"
#include "aapc/plan/plan.hpp"
#include "aapc/plan/staging.hpp"
#include "algorithms/aggregate/shares.hpp"
#include "support/clusters.hpp"
#include "support/interpreter.hpp"
#include "support/networks.hpp"

namespace aapc {
namespace {

using Sizes = std::vector<std::int32_t>;

constexpr const char* every_variant[] = {"carriers-all", "carriers-1", "carriers-2", "bruck", "switches"};

std::unique_ptr<Timetable> build(const Network& network, const Placement& placement, const std::string& variant) {
    auto timetable = build_timetable(**find_algorithm("aggregate"), variant, network, placement);
    return timetable ? std::move(*timetable) : nullptr;
}

/// A switch with machines of so many ranks.
Network machines_of(const Sizes& sizes) {
    test::TreeBuilder tree;
    tree.add_switch(-1);
    for (const std::int32_t ranks : sizes) {
        tree.add_machine(0, ranks);
    }
    return tree.build();
}

/// Every list of so many sizes with these sums at most.
void append_all_sizes(std::size_t machines, std::int32_t left, Sizes& begun, std::vector<Sizes>& out) {
    if (begun.size() == machines) {
        out.push_back(begun);
        return;
    }
    for (std::int32_t ranks = 1; ranks <= left; ++ranks) {
        begun.push_back(ranks);
        append_all_sizes(machines, left - ranks, begun, out);
        begun.pop_back();
    }
}

std::vector<Sizes> small_world() {
    std::vector<Sizes> all;
    for (std::size_t machines = 1; machines <= 5; ++machines) {
        Sizes begun;
        append_all_sizes(machines, 8, begun, all);
    }
    return all;
}

Sizes sizes_of(const Placement& placement) {
    std::map<Machine, std::int32_t> ranks;
    for (const Machine machine : placement.machine_of) {
        ++ranks[machine];
    }
    Sizes sizes;
    for (const auto& [machine, number] : ranks) {
        sizes.push_back(number);
    }
    return sizes;
}

/// What a timetable puts on the wires, and how often it sends each block.
struct BlocksSent {
    std::int64_t messages = 0;
    std::int64_t blocks = 0;
    std::map<std::pair<Machine, Machine>, int> of_pair;
    std::map<Block, int> sent;
};

BlocksSent count(const Timetable& timetable, const Placement& placement) {
    const auto machine = [&](Rank rank) { return placement.machine_of[static_cast<std::size_t>(rank)]; };
    BlocksSent traffic;
    for (Rank rank = 0; rank < timetable.participants(); ++rank) {
        for (const Transfer& send : timetable.sends_of(rank)) {
            std::vector<Block> blocks;
            timetable.append_blocks(send, blocks);
            for (const Block& block : blocks) {
                ++traffic.sent[block];
            }
            if (machine(send.from) != machine(send.to)) {
                ++traffic.messages;
                ++traffic.of_pair[{machine(send.from), machine(send.to)}];
                traffic.blocks += static_cast<std::int64_t>(blocks.size());
            }
        }
    }
    return traffic;
}

std::int64_t digits(std::int64_t machines) {
    return std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(machines, 1) - 1));
}

/// What counts as a machine: for `switches` all that hang from one switch, unless that is all there are.
Placement counted(const Network& network, const Placement& placement, const std::string& variant) {
    Placement groups = placement;
    if (variant == "switches") {
        for (Machine& machine : groups.machine_of) {
            const Vertex vertex = network.machines()[static_cast<std::size_t>(machine)].vertex;
            machine = network.other_end(network.links_at(vertex).front(), vertex);
        }
    }
    return std::set(groups.machine_of.begin(), groups.machine_of.end()).size() > 1 ? groups : placement;
}

void expect_the_formulas(const Timetable& timetable, const Placement& placement, const std::string& variant) {
    const Sizes sizes = sizes_of(placement);
    const auto machines = static_cast<std::int64_t>(sizes.size());
    const std::int64_t ranks = placement.participants();
    const std::int64_t inside = *std::max_element(sizes.begin(), sizes.end()) - 1;
    const bool bruck = variant == "bruck";
    const std::int64_t rounds = bruck ? digits(machines) : machines - 1;
    EXPECT_EQ(timetable.phases(), machines == 1 ? inside : rounds + 2 * inside);
    std::int64_t owed = ranks * ranks;
    for (const std::int32_t size : sizes) {
        owed -= std::int64_t{size} * size;
    }
    const BlocksSent traffic = count(timetable, placement);
    EXPECT_EQ(traffic.messages, machines * rounds);
    for (const auto& [block, times] : traffic.sent) {
        EXPECT_LE(times, bruck ? 2 + rounds : 3);
    }
    if (bruck) {
        EXPECT_GE(traffic.blocks, owed);
    } else {
        EXPECT_EQ(traffic.blocks, owed) << "a block crosses the wires once";
        EXPECT_EQ(static_cast<std::int64_t>(traffic.of_pair.size()), traffic.messages) << "one message a pair";
    }
}

void expect_all_that_holds(const Network& network, const Placement& placement) {
    for (const std::string variant : every_variant) {
        SCOPED_TRACE(variant);
        const auto timetable = build(network, placement, variant);
        ASSERT_NE(timetable, nullptr);
        const auto schedule = schedule_of_timetable(*timetable, "aggregate", variant, std::nullopt, network, placement);
        ASSERT_TRUE(schedule) << schedule.error().what;
        expect_the_formulas(*timetable, counted(network, placement, variant), variant);
        std::vector<Plan> plans;
        for (Rank rank = 0; rank < placement.participants(); ++rank) {
            plans.push_back(
                make_plan(*timetable, rank, Synchronisation::with_blocks(Synchronisation::Kind::window, all_phases)));
        }
        ASSERT_EQ(test::carry_out(plans), "");
        for (const Plan& plan : plans) {
            // Together, across, apart: nothing else is waited for.
            const std::vector<PhaseSteps> steps = plan.forwarding ? steps_of(plan) : std::vector<PhaseSteps>();
            EXPECT_LE(static_cast<std::int64_t>(steps.size()),
                      variant == "bruck" ? 2 + digits(static_cast<std::int64_t>(sizes_of(placement).size())) : 3);
        }
    }
}

TEST(Aggregate, HoldsForEveryFewRanksOnEveryFewMachines) {
    for (const Sizes& sizes : small_world()) {
        SCOPED_TRACE(fmt::format("{}", sizes));
        const Network network = machines_of(sizes);
        expect_all_that_holds(network, full_placement(network));
        if (HasFailure()) {
            return;
        }
    }
}

TEST(Aggregate, HoldsWhereverTheRanksAre) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        SCOPED_TRACE(fmt::format("seed {}", seed));
        std::mt19937_64 random(seed);
        const auto ranks = static_cast<Rank>(2 + random() % 30);
        const Network network = test::random_tree(seed, 2, ranks + 2).build();
        Placement placement;
        for (Rank rank = 0; rank < ranks; ++rank) {
            placement.machine_of.push_back(static_cast<Machine>(random() % network.machines().size()));
        }
        expect_all_that_holds(network, placement);
        if (HasFailure()) {
            return;
        }
    }
}

/// Ranks of a machine carry for as many machines as can be, and for about as many ranks.
TEST(Aggregate, SharesAreEven) {
    for (const Sizes& sizes : small_world()) {
        for (const std::int32_t most : {1, 2, 3, 100}) {
            SCOPED_TRACE(fmt::format("{} by {}", sizes, most));
            const aggregate::Shares shares(sizes, most);
            const std::int32_t largest = *std::max_element(sizes.begin(), sizes.end());
            for (std::int32_t machine = 0; machine < shares.machines(); ++machine) {
                ASSERT_EQ(shares.carriers(machine), std::min(sizes[static_cast<std::size_t>(machine)], most));
                std::set<std::int32_t> all;
                std::vector<std::int32_t> numbers;
                std::vector<std::int32_t> behind;
                for (std::int32_t rank = 0; rank < sizes[static_cast<std::size_t>(machine)]; ++rank) {
                    const std::vector<std::int32_t> others = shares.share(machine, rank);
                    ASSERT_TRUE(std::is_sorted(others.begin(), others.end()));
                    std::int32_t ranks = 0;
                    for (const std::int32_t other : others) {
                        ASSERT_NE(other, machine);
                        ASSERT_EQ(shares.carrier(machine, other), rank);
                        ASSERT_TRUE(all.insert(other).second);
                        ranks += sizes[static_cast<std::size_t>(other)];
                    }
                    if (rank < shares.carriers(machine)) {
                        numbers.push_back(static_cast<std::int32_t>(others.size()));
                        behind.push_back(ranks);
                    } else {
                        ASSERT_TRUE(others.empty());
                    }
                }
                ASSERT_EQ(static_cast<std::int32_t>(all.size()), shares.machines() - 1);
                const auto [few, many] = std::minmax_element(numbers.begin(), numbers.end());
                ASSERT_LE(*many - *few, 1);
                const auto [least, most_behind] = std::minmax_element(behind.begin(), behind.end());
                ASSERT_LE(*most_behind - *least, largest);
            }
        }
    }
}

TEST(Aggregate, PutsTogetherWhatLeavesACluster) {
    const Network network = test::clusters_of({3, 1, 4});
    Placement placement = full_placement(network);
    placement.machine_of.insert(placement.machine_of.begin(), {7, 0});
    const auto timetable = build(network, placement, "switches");
    const auto schedule =
        check_schedule(tabulate(*timetable, "aggregate", "switches", std::nullopt), network, placement);
    ASSERT_TRUE(schedule) << schedule.error().what;
    Placement clusters = placement;
    for (Machine& machine : clusters.machine_of) {
        machine = machine < 3 ? 0 : machine < 4 ? 1 : 2;
    }
    const BlocksSent traffic = count(*timetable, clusters);
    EXPECT_EQ(traffic.messages, 3 * 2) << "one a pair of clusters";
    EXPECT_EQ(traffic.blocks, 10 * 10 - 4 * 4 - 1 - 5 * 5);
}

/// What the largest cluster would ask of one rank is known at once.
TEST(Aggregate, PromisesWhatMachinesThatNeverMeetCanHave) {
    const Network one_switch = machines_of({3, 2, 4});
    EXPECT_EQ(build(one_switch, full_placement(one_switch), "carriers-all")->guarantee(), Guarantee::contention_free);
    const Network two = test::chain_of({2, 2}).build();
    Placement placement;
    for (Machine machine = 0; machine < 4; ++machine) {
        placement.machine_of.insert(placement.machine_of.end(), {machine, machine});
    }
    EXPECT_EQ(build(two, placement, "carriers-all")->guarantee(), Guarantee::one_port) << "they meet in the middle";
    const Network alone = test::chain_of({4}).build();
    const auto straight = build(alone, full_placement(alone), "carriers-all");
    EXPECT_FALSE(straight->forwards()) << "one rank a machine";
    EXPECT_EQ(straight->phases(), 3);
}

}  // namespace
}  // namespace aapc
