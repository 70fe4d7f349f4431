// Whole schedules of the algorithm `factor`, through the checkers.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "aapc/algorithms/algorithm.hpp"
#include "aapc/check/node_check.hpp"
#include "aapc/offline/plan_from_schedule.hpp"
#include "aapc/offline/synchronise.hpp"
#include "aapc/offline/tabulate.hpp"
#include "aapc/plan/plan.hpp"
#include "algorithms/factor/reference.hpp"
#include "support/networks.hpp"

namespace aapc {
namespace {

constexpr std::string_view all_variants[] = {"fill", "permutation", "paper", "exchange", "flat", "ports-2", "ports-3"};

std::unique_ptr<Timetable> build_factor(const Network& network, const Placement& placement, std::string_view variant) {
    return std::move(*build_timetable(**find_algorithm("factor"), variant, network, placement));
}

Expected<Schedule, Violation> write_down(const Timetable& timetable, std::string_view variant, const Network& network,
                                         const Placement& placement) {
    return schedule_of_timetable(timetable, "factor", std::string(variant), std::nullopt, network, placement);
}

/// Machines with these numbers of ranks on one switch.
test::TreeBuilder one_switch(const std::vector<int>& sizes) {
    test::TreeBuilder tree;
    tree.add_switch(-1);
    for (const int size : sizes) {
        tree.add_machine(0, size);
    }
    return tree;
}

std::vector<int> random_sizes(std::uint64_t seed, int most_machines, int most_ranks) {
    std::mt19937_64 random(seed);
    const auto up_to = [&](int limit) { return 1 + static_cast<int>(random() % static_cast<std::uint64_t>(limit)); };
    std::vector<int> sizes(static_cast<std::size_t>(up_to(most_machines)));
    std::generate(sizes.begin(), sizes.end(), [&] { return up_to(most_ranks); });
    return sizes;
}

std::string name_of(const testing::TestParamInfo<std::string_view>& variant) {
    std::string name(variant.param);
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

class FactorVariant : public testing::TestWithParam<std::string_view> {};
INSTANTIATE_TEST_SUITE_P(All, FactorVariant, testing::ValuesIn(all_variants), name_of);

/// So many messages at a time a machine may exchange with others.
std::int32_t ports_of(std::string_view variant) {
    return variant == "flat" ? 1'000 : variant == "ports-2" ? 2 : variant == "ports-3" ? 3 : 1;
}

void expect_schedule(std::string_view variant, const Network& network, const Placement& placement) {
    const auto timetable = build_factor(network, placement, variant);
    const auto schedule = write_down(*timetable, variant, network, placement);
    ASSERT_TRUE(schedule.has_value()) << schedule.error().what;
    const auto use = check_node_ports(*schedule, ports_of(variant));
    ASSERT_TRUE(use.has_value()) << use.error().what;
    ASSERT_GE(use->wire_phases, use->least_wire_phases);

    std::vector<std::vector<Transfer>> received(placement.machine_of.size());
    for (const std::vector<Transfer>& phase : schedule->phases()) {
        for (const Transfer& message : phase) {
            received[static_cast<std::size_t>(message.to)].push_back(message);
        }
    }
    for (Rank rank = 0; rank < placement.participants(); ++rank) {
        ASSERT_EQ(timetable->receives_of(rank), received[static_cast<std::size_t>(rank)]) << "rank " << rank;
    }
}

TEST_P(FactorVariant, DeliversOnRandomTreesWithAnyRanksInAnyOrder) {
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
        const test::TreeBuilder tree = test::random_tree(seed, 1, 16);
        const Network network = tree.build();
        const Placement all = full_placement(network);
        SCOPED_TRACE(fmt::format("seed {}, variant {}\n{}", seed, GetParam(), tree.toml()));
        ASSERT_NO_FATAL_FAILURE(expect_schedule(GetParam(), network, all));
        ASSERT_NO_FATAL_FAILURE(expect_schedule(GetParam(), network, test::random_part(all, seed)));
    }
}

TEST_P(FactorVariant, DeliversForEverySubsetOfASmallCluster) {
    const Network network = one_switch({1, 2, 3, 2}).build();
    const Placement all = full_placement(network);
    for (unsigned subset = 1; subset < 1U << all.machine_of.size(); ++subset) {
        Placement placement;
        for (std::size_t rank = 0; rank < all.machine_of.size(); ++rank) {
            if ((subset >> rank & 1U) != 0) {
                placement.machine_of.push_back(all.machine_of[rank]);
            }
        }
        SCOPED_TRACE(fmt::format("variant {}, subset {:b}", GetParam(), subset));
        ASSERT_NO_FATAL_FAILURE(expect_schedule(GetParam(), network, placement));
    }
}

TEST_P(FactorVariant, PlansEqualThoseCutOutOfTheTable) {
    const Synchronisation synchronisations[] = {
        Synchronisation::sender, Synchronisation::receiver,
        Synchronisation::with_blocks(Synchronisation::Kind::sender_partial, 4),
        Synchronisation::with_blocks(Synchronisation::Kind::barrier_partial_receiver, 5), Synchronisation::timed};
    int contention_free = 0;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        const test::TreeBuilder tree = one_switch(random_sizes(seed, 6, 5));
        const Network network = tree.build();
        const Placement placement = test::random_part(full_placement(network), seed);
        const auto timetable = build_factor(network, placement, GetParam());
        if (timetable->guarantee() != Guarantee::contention_free) {
            continue;
        }
        ++contention_free;
        const auto schedule = write_down(*timetable, GetParam(), network, placement);
        ASSERT_TRUE(schedule.has_value()) << schedule.error().what;
        for (const Synchronisation& synchronisation : synchronisations) {
            SCOPED_TRACE(
                fmt::format("seed {}, variant {}, {}\n{}", seed, GetParam(), to_string(synchronisation), tree.toml()));
            const auto edges = synchronisation_edges(*schedule, synchronisation, Reduction::pair_rule);
            const auto violation = check_synchronisation(*schedule, synchronisation, edges);
            ASSERT_FALSE(violation.has_value()) << violation->what;
            for (Rank rank = 0; rank < placement.participants(); ++rank) {
                const Plan own = make_plan(*timetable, rank, synchronisation);
                const Plan cut = plan_from_schedule(*schedule, edges, rank, synchronisation);
                ASSERT_EQ(own.sends, cut.sends);
                ASSERT_EQ(own.receives, cut.receives);
                ASSERT_EQ(own.waits, cut.waits) << "rank " << rank;
                ASSERT_EQ(own.signals, cut.signals) << "rank " << rank;
            }
        }
    }
    EXPECT_GT(contention_free, ports_of(GetParam()) == 1 ? 59 : 3);
}

/// Random sizes, seeds first … last-1: `fill` through both checkers, and one of the other variants.
void expect_random_sizes(std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t seed = first; seed < last; ++seed) {
        const std::vector<int> sizes = random_sizes(seed, 12, 9);
        const Network network = one_switch(sizes).build();
        const Placement placement = full_placement(network);
        const std::string_view others[] = {"permutation", "paper", "exchange", "ports-2"};
        for (const std::string_view variant : {std::string_view("fill"), others[seed % std::size(others)]}) {
            SCOPED_TRACE(fmt::format("seed {}, variant {}: {}", seed, variant, factor::test::to_string(sizes)));
            const auto timetable = build_factor(network, placement, variant);
            const auto schedule = write_down(*timetable, variant, network, placement);
            ASSERT_TRUE(schedule.has_value()) << schedule.error().what;
            ASSERT_EQ(schedule->guarantee() == Guarantee::contention_free,
                      variant != "ports-2" || sizes.size() == 1 ||
                          full_placement(network).participants() == static_cast<Rank>(sizes.size()));
            const auto use = check_node_ports(*schedule, ports_of(variant));
            ASSERT_TRUE(use.has_value()) << use.error().what;
            ASSERT_GE(use->wire_phases, use->least_wire_phases);
            const Phase largest = *std::max_element(sizes.begin(), sizes.end());
            if (variant == "paper") {
                ASSERT_EQ(timetable->phases(), largest * placement.participants());
            }
            if (variant == "permutation") {
                ASSERT_EQ(use->wire_phases, use->least_wire_phases);
            }
        }
    }
}

TEST(FactorTimetable, Serves10000RandomSizesPart1) { expect_random_sizes(0, 2'500); }
TEST(FactorTimetable, Serves10000RandomSizesPart2) { expect_random_sizes(2'500, 5'000); }
TEST(FactorTimetable, Serves10000RandomSizesPart3) { expect_random_sizes(5'000, 7'500); }
TEST(FactorTimetable, Serves10000RandomSizesPart4) { expect_random_sizes(7'500, 10'000); }

TEST(FactorTimetable, FlatPairsRanksByTheirSum) {
    for (int participants = 1; participants <= 40; ++participants) {
        const Network network = one_switch(std::vector<int>(static_cast<std::size_t>(participants), 1)).build();
        const auto timetable = build_factor(network, full_placement(network), "flat");
        ASSERT_EQ(timetable->phases(), participants);
        for (Rank rank = 0; rank < participants; ++rank) {
            const std::vector<Transfer> sends = timetable->sends_of(rank);
            ASSERT_EQ(sends.size(), static_cast<std::size_t>(participants - 1));
            for (const Transfer& send : sends) {
                ASSERT_EQ((send.from + send.to) % participants, send.phase) << participants << " participants";
            }
        }
    }
}

TEST(FactorTimetable, NeedsFewerStepsWithTwoPorts) {
    const Network network = one_switch({4, 4, 4, 4, 4, 4}).build();
    const Placement placement = full_placement(network);
    const auto wire_phases = [&](std::string_view variant) {
        const auto timetable = build_factor(network, placement, variant);
        const auto schedule = write_down(*timetable, variant, network, placement);
        return check_node_ports(*schedule, ports_of(variant))->wire_phases;
    };
    EXPECT_EQ(wire_phases("fill"), 4 * 20);
    // Parts of 2 ranks exchange with all 22 ranks of other parts, of which 2 are on the same machine.
    EXPECT_EQ(wire_phases("ports-2"), 2 * 22);
}

TEST(FactorTimetable, PromisesFreedomFromContentionWhereMachinesCannotMeet) {
    const auto guarantee = [](const test::TreeBuilder& tree, std::string_view variant) {
        const Network network = tree.build();
        return build_factor(network, full_placement(network), variant)->guarantee();
    };
    EXPECT_EQ(guarantee(one_switch({3, 1, 2, 2}), "fill"), Guarantee::contention_free);
    EXPECT_EQ(guarantee(one_switch({3, 1, 2, 2}), "flat"), Guarantee::one_port);
    EXPECT_EQ(guarantee(one_switch({3, 1, 2, 2}), "ports-2"), Guarantee::one_port);
    EXPECT_EQ(guarantee(one_switch({1, 1, 1, 1, 1}), "flat"), Guarantee::contention_free);
    EXPECT_EQ(guarantee(one_switch({7}), "flat"), Guarantee::contention_free);
    // A trunk with one machine behind it is that machine's own; with two on either side it is shared.
    EXPECT_EQ(guarantee(test::chain_of({1, 5}), "fill"), Guarantee::contention_free);
    EXPECT_EQ(guarantee(test::chain_of({2, 2}), "fill"), Guarantee::one_port);
    EXPECT_EQ(guarantee(test::chain_of({1, 2, 1}), "fill"), Guarantee::contention_free);
    EXPECT_EQ(guarantee(test::chain_of({2, 1, 2}), "fill"), Guarantee::one_port);
}

TEST(FactorTimetable, PromisesOnlyPortsOnOtherNetworks) {
    const Network star = one_switch({2, 2}).build();
    const Network torus(NetworkKind::torus, star.vertices(), star.links(), star.machines());
    EXPECT_EQ(build_factor(torus, full_placement(torus), "fill")->guarantee(), Guarantee::one_port);
}

TEST(FactorTimetable, NamesTheRanksOfASwitch) {
    test::TreeBuilder tree = test::chain_of({2, 0});
    tree.add_machine(1, 2);
    const Network network = tree.build();
    const auto timetable = build_factor(network, {{2, 0, 1, 2}}, "fill");
    EXPECT_EQ(timetable->ranks_of_switch(0), (std::vector<Rank>{0, 3}));
    EXPECT_EQ(timetable->ranks_of_switch(1), (std::vector<Rank>{1, 2}));
}

}  // namespace
}  // namespace aapc
