// Each rank's own plan against the whole table.
#include "aapc/plan/plan.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "aapc/offline/plan_from_schedule.hpp"
#include "aapc/offline/synchronise.hpp"
#include "support/networks.hpp"
#include "support/schedules.hpp"

namespace aapc {
namespace {

/// Every kind; those with blocks in blocks of `block_phases`.
std::vector<Synchronisation> every_synchronisation(Phase block_phases) {
    std::vector<Synchronisation> list;
    for (const SynchronisationEntry& entry : synchronisations()) {
        list.push_back(Synchronisation::with_blocks(entry.kind, entry.has_blocks ? block_phases : 0));
    }
    return list;
}

void expect_plans_equal_table(const Network& network, const Placement& placement, Phase block_phases,
                              const std::string& repeat) {
    for (const std::string_view variant : {"paper", "merged"}) {
        const auto built = test::build_tree_schedule(network, placement, variant);
        ASSERT_TRUE(built.schedule.has_value()) << built.schedule.error().what << repeat;
        for (const Synchronisation& synchronisation : every_synchronisation(block_phases)) {
            const auto edges = synchronisation_edges(*built.schedule, synchronisation, Reduction::pair_rule);
            const auto violation = check_synchronisation(*built.schedule, synchronisation, edges);
            ASSERT_FALSE(violation.has_value()) << violation->what << repeat;
            for (Rank rank = 0; rank < placement.participants(); ++rank) {
                const Plan local = make_plan(*built.timetable, rank, synchronisation);
                const Plan global = plan_from_schedule(*built.schedule, edges, rank, synchronisation);
                const std::string where =
                    fmt::format("{} {} rank {}\n{}", variant, to_string(synchronisation), rank, repeat);
                ASSERT_EQ(local.sends, global.sends) << where;
                ASSERT_EQ(local.receives, global.receives) << where;
                ASSERT_EQ(local.waits, global.waits) << where;
                ASSERT_EQ(local.signals, global.signals) << where;
                ASSERT_EQ(local.dummy_sends, global.dummy_sends) << where;
                ASSERT_EQ(local.dummy_receives, global.dummy_receives) << where;
                ASSERT_EQ(local.phases, global.phases) << where;
            }
        }
    }
}

TEST(Plan, EqualsTheTableOnRandomTreesAndParts) {
    for (std::uint64_t seed = 1; seed <= 250; ++seed) {
        const test::TreeBuilder tree = test::random_tree(seed, 1, 18);
        const Network network = tree.build();
        const Placement all = full_placement(network);
        const std::string repeat = fmt::format("seed {}\n{}", seed, tree.toml());
        const auto block_phases = static_cast<Phase>(1 + seed % 7);
        expect_plans_equal_table(network, all, block_phases, repeat);
        expect_plans_equal_table(network, test::random_part(all, seed), block_phases, "part, " + repeat);
        if (HasFatalFailure()) {
            return;
        }
    }
}

TEST(Plan, EqualsTheTableOnRegularClusters) {
    for (const test::TreeBuilder& tree : {test::chain_of({4, 4, 4, 4}), test::star_of({1, 1, 1, 1, 4, 4, 4}),
                                          test::chain_of({16}), test::chain_of({7, 1, 3, 5})}) {
        const Network network = tree.build();
        for (const Phase block_phases : {1, 4, 16, 1000}) {
            expect_plans_equal_table(network, full_placement(network), block_phases, tree.toml());
        }
    }
}

// With `dummy`, every rank sends in every phase, to itself where it must, and nobody receives twice.
TEST(Plan, DummiesFillEveryPhase) {
    for (const test::TreeBuilder& tree : {test::chain_of({4, 4, 4, 4}), test::star_of({1, 1, 1, 1, 4, 4, 4}),
                                          test::chain_of({7, 1, 3, 5}), test::random_tree(11, 12, 20)}) {
        const Network network = tree.build();
        const auto built = test::build_tree_schedule(network, full_placement(network), "merged");
        for (Rank rank = 0; rank < built.timetable->participants(); ++rank) {
            const Plan plan = make_plan(*built.timetable, rank, Synchronisation::dummy);
            std::vector<int> sends(static_cast<std::size_t>(plan.phases), 0);
            std::vector<int> receives(static_cast<std::size_t>(plan.phases), 0);
            for (const auto* const list : {&plan.sends, &plan.dummy_sends}) {
                for (const Transfer& transfer : *list) {
                    ++sends[static_cast<std::size_t>(transfer.phase)];
                }
            }
            for (const auto* const list : {&plan.receives, &plan.dummy_receives}) {
                for (const Transfer& transfer : *list) {
                    receives[static_cast<std::size_t>(transfer.phase)] += transfer.from == transfer.to ? 0 : 1;
                }
            }
            EXPECT_EQ(std::count(sends.begin(), sends.end(), 1), plan.phases) << "rank " << rank << "\n" << tree.toml();
            EXPECT_EQ(std::count_if(receives.begin(), receives.end(), [](int count) { return count > 1; }), 0)
                << "rank " << rank << "\n"
                << tree.toml();
        }
    }
}

TEST(Plan, BytesCountDummiesAndForwarding) {
    Plan plan;
    EXPECT_EQ(plan.bytes(), 0U);
    plan.dummy_sends.resize(3);
    plan.dummy_receives.resize(2);
    EXPECT_EQ(plan.bytes(), (plan.dummy_sends.capacity() + plan.dummy_receives.capacity()) * sizeof(Transfer));
    const std::size_t before = plan.bytes();
    plan.forwarding.emplace();
    EXPECT_EQ(plan.bytes(), before);
    plan.forwarding->of_send = {{{}, {}}, {{}}};
    plan.forwarding->of_receive = {{{}}};
    EXPECT_EQ(plan.bytes(), before + 3 * sizeof(std::vector<BlockRun>) + 4 * sizeof(BlockRun));
}

// A token at its two ends: same number, same order, and nobody waits for what comes later.
TEST(Plan, TokensMatchAtBothEnds) {
    const Network network = test::random_tree(7, 20, 30).build();
    const Placement placement = full_placement(network);
    const auto built = test::build_tree_schedule(network, placement, "merged");
    for (const Synchronisation synchronisation : {Synchronisation::sender, Synchronisation::receiver}) {
        std::vector<Plan> plans;
        plans.reserve(static_cast<std::size_t>(placement.participants()));
        for (Rank rank = 0; rank < placement.participants(); ++rank) {
            plans.push_back(make_plan(*built.timetable, rank, synchronisation));
        }
        std::size_t tokens = 0;
        for (const Plan& waiter : plans) {
            for (const Plan& signaller : plans) {
                std::vector<Phase> before;
                std::vector<Phase> after;
                for (const Token& wait : waiter.waits) {
                    if (wait.peer == signaller.rank) {
                        before.push_back(waiter.sends[static_cast<std::size_t>(wait.step)].phase);
                    }
                }
                const auto& own = synchronisation == Synchronisation::sender ? signaller.sends : signaller.receives;
                for (const Token& signal : signaller.signals) {
                    if (signal.peer == waiter.rank) {
                        after.push_back(own[static_cast<std::size_t>(signal.step)].phase);
                    }
                }
                ASSERT_EQ(before.size(), after.size());
                for (std::size_t token = 0; token < before.size(); ++token) {
                    ASSERT_LT(after[token], before[token]);
                }
                tokens += before.size();
            }
        }
        EXPECT_GT(tokens, 100U);
    }
}

}  // namespace
}  // namespace aapc
