// Each rank's own plan against the whole table.
#include "aapc/plan.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/networks.hpp"
#include "support/schedules.hpp"

namespace aapc {
namespace {

constexpr Synchronisation all_synchronisations[] = {Synchronisation::none, Synchronisation::sender,
                                                    Synchronisation::receiver, Synchronisation::timed};

void expect_plans_equal_table(const Network& network, const Demand& demand, const std::string& repeat) {
    for (const std::string_view variant : {"paper", "merged"}) {
        const auto built = test::build_tree_schedule(network, demand, variant);
        ASSERT_TRUE(built.schedule.has_value()) << built.schedule.error().what << repeat;
        for (const Synchronisation synchronisation : all_synchronisations) {
            const auto edges = synchronisation_edges(*built.schedule, synchronisation, Reduction::pair_rule);
            const auto violation = check_synchronisation(*built.schedule, synchronisation, edges);
            ASSERT_FALSE(violation.has_value()) << violation->what << repeat;
            for (Rank rank = 0; rank < demand.participants(); ++rank) {
                const Plan local = make_plan(*built.timetable, rank, synchronisation);
                const Plan global = plan_from_schedule(*built.schedule, edges, rank, synchronisation);
                const std::string where =
                    fmt::format("{} {} rank {}\n{}", variant, to_string(synchronisation), rank, repeat);
                ASSERT_EQ(local.sends, global.sends) << where;
                ASSERT_EQ(local.receives, global.receives) << where;
                ASSERT_EQ(local.waits, global.waits) << where;
                ASSERT_EQ(local.signals, global.signals) << where;
                ASSERT_EQ(local.phases, global.phases) << where;
            }
        }
    }
}

TEST(Plan, EqualsTheTableOnRandomTreesAndParts) {
    for (std::uint64_t seed = 1; seed <= 250; ++seed) {
        const test::TreeBuilder tree = test::random_tree(seed, 1, 18);
        const Network network = tree.build();
        const Demand all = full_demand(network);
        const std::string repeat = fmt::format("seed {}\n{}", seed, tree.toml());
        expect_plans_equal_table(network, all, repeat);
        expect_plans_equal_table(network, test::random_part(all, seed), "part, " + repeat);
        if (HasFatalFailure()) {
            return;
        }
    }
}

TEST(Plan, EqualsTheTableOnRegularClusters) {
    for (const test::TreeBuilder& tree : {test::chain_of({4, 4, 4, 4}), test::star_of({1, 1, 1, 1, 4, 4, 4}),
                                          test::chain_of({16}), test::chain_of({7, 1, 3, 5})}) {
        const Network network = tree.build();
        expect_plans_equal_table(network, full_demand(network), tree.toml());
    }
}

// A token at its two ends: same number, same order, and nobody waits for what comes later.
TEST(Plan, TokensMatchAtBothEnds) {
    const Network network = test::random_tree(7, 20, 30).build();
    const Demand demand = full_demand(network);
    const auto built = test::build_tree_schedule(network, demand, "merged");
    for (const Synchronisation synchronisation : {Synchronisation::sender, Synchronisation::receiver}) {
        std::vector<Plan> plans;
        for (Rank rank = 0; rank < demand.participants(); ++rank) {
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
