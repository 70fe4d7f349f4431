// `local-group` through the checker, which follows every block, and against what its paper and the corrections to it
// count.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "aapc/algorithms/algorithm.hpp"
#include "aapc/check/schedule.hpp"
#include "aapc/methods/buffer_limit.hpp"
#include "aapc/offline/plan_from_schedule.hpp"
#include "aapc/offline/tabulate.hpp"
#include "aapc/plan/plan.hpp"
#include "aapc/plan/staging.hpp"
#include "aapc/topology/bound.hpp"
#include "algorithms/local_group/local_group_formula.hpp"
#include "check/channels.hpp"
#include "support/clusters.hpp"
#include "support/interpreter.hpp"
#include "support/networks.hpp"
#include "timetable/buffer_bound.hpp"

namespace aapc {
namespace {

using local_group::LocalGroupFormula;
using local_group::Member;

std::unique_ptr<Timetable> build_local_group(const Network& network, const Placement& placement) {
    auto timetable = build_timetable(**find_algorithm("local-group"), "", network, placement);
    return timetable ? std::move(*timetable) : nullptr;
}

/// In time that grows with the clusters and not with their square times what is in each: 20 s before.
TEST(LocalGroup, ManyClusters) {
    const Network network = test::clusters_of(std::vector<int>(3000, 2));
    const auto timetable = build_local_group(network, full_placement(network));
    ASSERT_NE(timetable, nullptr);
    EXPECT_EQ(timetable->participants(), 6000);
    EXPECT_EQ(timetable->sends_of(17).size(), 3000U);
    // One plan, of a rank that needs as much as its bound says: 6000 plans took 4 s.
    const auto* const bound = dynamic_cast<const BufferBound*>(timetable.get());
    const std::int64_t needed = largest_buffer_blocks(*timetable, Synchronisation::none);
    EXPECT_EQ(needed, 2999 + 2 * 3000);
    EXPECT_EQ(bound->most_buffer_blocks(17, 1), needed);
}

std::vector<Plan> plans_of(const Timetable& timetable) {
    std::vector<Plan> plans;
    plans.reserve(static_cast<std::size_t>(timetable.participants()));
    for (Rank rank = 0; rank < timetable.participants(); ++rank) {
        plans.push_back(make_plan(timetable, rank, (*find_algorithm("local-group"))->synchronisation));
    }
    return plans;
}

std::int64_t blocks_of(const Timetable& timetable, const Transfer& transfer) {
    std::vector<Block> blocks;
    timetable.append_blocks(transfer, blocks);
    return static_cast<std::int64_t>(blocks.size());
}

/// No directed link twice in a phase, as long as no message crosses the wide area: the checker's own channels, since a
/// schedule can only promise for all its phases at once.
void expect_contention_free_inside(const Timetable& timetable, const Network& network, const Placement& placement) {
    auto channels = check::Channels::find(network, placement);
    ASSERT_TRUE(channels);
    const std::vector<Cluster> cluster_of = find_clusters(network).cluster_of;
    const auto cluster = [&](Rank rank) {
        return cluster_of[static_cast<std::size_t>(placement.machine_of[static_cast<std::size_t>(rank)])];
    };
    std::set<std::pair<Phase, check::Channel>> used;
    std::vector<check::Channel> route;
    for (Rank rank = 0; rank < timetable.participants(); ++rank) {
        for (const Transfer& send : timetable.sends_of(rank)) {
            if (cluster(send.from) == cluster(send.to)) {
                channels->route(send.from, send.to, route);
                for (const check::Channel channel : route) {
                    ASSERT_TRUE(used.emplace(send.phase, channel).second)
                        << "phase " << send.phase << ", " << channels->name(channel);
                }
            }
        }
    }
}

/// What is said of a rank's buffers without its plan is enough, and so quick that nobody else's plan need be made.
void expect_bounded_buffers(const Timetable& timetable) {
    const auto* const bound = dynamic_cast<const BufferBound*>(&timetable);
    for (const Phase window : {Phase{1}, Phase{3}, all_phases}) {
        const auto synchronisation = Synchronisation::with_blocks(Synchronisation::Kind::window, window);
        std::int64_t largest = 0;
        for (Rank rank = 0; bound != nullptr && rank < timetable.participants(); ++rank) {
            const std::int64_t needed = buffer_blocks(make_plan(timetable, rank, synchronisation));
            ASSERT_GE(bound->most_buffer_blocks(rank, std::min(window, timetable.phases())), needed) << "rank " << rank;
            largest = std::max(largest, needed);
        }
        ASSERT_EQ(largest_buffer_blocks(timetable, synchronisation), largest);
    }
}

/// Everything that holds for every network and placement.
void expect_a_schedule(const Network& network, const Placement& placement) {
    const auto timetable = build_local_group(network, placement);
    ASSERT_NE(timetable, nullptr);
    ASSERT_EQ(timetable->participants(), placement.participants());
    const auto schedule = schedule_of_timetable(*timetable, "local-group", "balanced",
                                                tree_bound(network, placement).messages, network, placement);
    ASSERT_TRUE(schedule) << schedule.error().what;

    const std::vector<std::int64_t> sizes = test::ranks_of_clusters(network, placement);
    const test::WideAreaUse use = test::count_wide_area_use(*timetable, network, placement);
    EXPECT_EQ(use.messages, test::local_group_messages(sizes));
    EXPECT_EQ(use.blocks, test::wide_area_blocks(sizes)) << "a block crosses the wide area once";
    std::int64_t local_messages = 0;
    for (const std::int64_t size : sizes) {
        local_messages += size * (size - 1);
    }
    EXPECT_EQ(schedule->messages(), use.messages + local_messages);
    expect_contention_free_inside(*timetable, network, placement);

    const std::vector<Plan> plans = plans_of(*timetable);
    EXPECT_EQ(test::carry_out(plans), "");
    expect_bounded_buffers(*timetable);
    for (const Plan& plan : plans) {
        ASSERT_EQ(plan.receives, timetable->receives_of(plan.rank));
        ASSERT_TRUE(std::is_sorted(plan.sends.begin(), plan.sends.end()));
        ASSERT_TRUE(std::is_sorted(plan.receives.begin(), plan.receives.end()));
        const Plan global = plan_from_schedule(*schedule, {}, plan.rank, plan.synchronisation);
        ASSERT_EQ(plan.sends, global.sends);
        ASSERT_EQ(plan.receives, global.receives);
        ASSERT_EQ(plan.forwarding, global.forwarding);
    }
}

void expect_a_schedule(const Network& network) { expect_a_schedule(network, full_placement(network)); }

/// The buffers of two clusters of one switch each, `smaller` ranks before `larger`, against the corrected paper.
void expect_buffers_of_two(int smaller, int larger) {
    const Network network = test::clusters_of({smaller, larger});
    const auto timetable = build_local_group(network, full_placement(network));
    const int groups = (larger + smaller - 1) / smaller;
    const int complete_groups = larger / smaller;
    const int left_over = larger % smaller;
    const int re_homed = (left_over + complete_groups - 1) / complete_groups;
    std::int32_t most_in_a_message = 0;
    for (const Plan& plan : plans_of(*timetable)) {
        ASSERT_TRUE(plan.forwarding);
        if (plan.rank < smaller) {
            // For each rank that it meets, a block of every other rank of its cluster.
            const int met = (larger - plan.rank + smaller - 1) / smaller;
            EXPECT_EQ(plan.forwarding->transit_blocks, (smaller - 1) * met);
            EXPECT_LE(plan.forwarding->transit_blocks + met + smaller, smaller * (1 + groups));
        } else {
            const Transfer& across = plan.sends.back();
            ASSERT_LT(across.to, smaller);
            const std::int64_t sent = blocks_of(*timetable, across);
            EXPECT_EQ(plan.forwarding->transit_blocks, sent - 1) << "all but its own";
            EXPECT_LE(sent, smaller + re_homed);
            EXPECT_GE(sent, left_over == 0 ? smaller : left_over);
            most_in_a_message = std::max(most_in_a_message, static_cast<std::int32_t>(sent));
        }
    }
    EXPECT_EQ(most_in_a_message, left_over == 0 ? smaller : smaller + re_homed);
}

TEST(LocalGroup, TwoClustersOfUpToTwelve) {
    for (int first = 1; first <= 12; ++first) {
        for (int second = 1; second <= 12; ++second) {
            SCOPED_TRACE(fmt::format("{} and {} ranks", first, second));
            const Network network = test::clusters_of({first, second});
            expect_a_schedule(network);
            const auto timetable = build_local_group(network, full_placement(network));
            const auto [smaller, larger] = std::minmax(first, second);
            const test::WideAreaUse use = test::count_wide_area_use(*timetable, network, full_placement(network));
            EXPECT_EQ(use.messages, 2 * larger);
            EXPECT_EQ(use.phases, (larger + smaller - 1) / smaller);
            EXPECT_EQ(timetable->phases(), larger - 1 + use.phases);
            if (first <= second && second > 1) {
                expect_buffers_of_two(first, second);
            }
            if (HasFailure()) {
                return;
            }
        }
    }
}

TEST(LocalGroup, UpToFourSmallClusters) {
    for (const int clusters : {3, 4}) {
        const int shapes = clusters == 3 ? 6 * 6 * 6 : 4 * 4 * 4 * 4;
        const int most = clusters == 3 ? 6 : 4;
        for (int shape = 0; shape < shapes; ++shape) {
            std::vector<int> sizes;
            for (int rest = shape, cluster = 0; cluster < clusters; ++cluster, rest /= most) {
                sizes.push_back(1 + rest % most);
            }
            SCOPED_TRACE(fmt::format("{} ranks", fmt::join(sizes, "+")));
            expect_a_schedule(test::clusters_of(sizes));
            if (HasFailure()) {
                return;
            }
        }
    }
}

/// Sub-communicators in any order of ranks, on clusters of several switches and machines of several ranks.
TEST(LocalGroup, RandomShapes) {
    for (std::uint64_t seed = 1; seed <= 500; ++seed) {
        SCOPED_TRACE(fmt::format("seed {}; repeat with: local_group_sweep --shapes 1 --seed {}", seed, seed));
        const Network network = test::random_clusters(seed, 6, 8);
        expect_a_schedule(network);
        expect_a_schedule(network, test::random_part(full_placement(network), seed));
        if (HasFailure()) {
            return;
        }
    }
}

TEST(LocalGroup, InsideOneClusterItIsTree) {
    const Network network = test::random_clusters(7, 4, 9);
    const Placement all = full_placement(network);
    const Placement placement = placement_of(ranks_by_cluster(network, all).back(), all);
    ASSERT_GT(placement.participants(), 1);
    const auto timetable = build_local_group(network, placement);
    const auto tree = build_timetable(**find_algorithm("tree"), "", network, placement);
    ASSERT_TRUE(tree) << to_string(tree.error());
    EXPECT_EQ(timetable->guarantee(), Guarantee::shortest);
    EXPECT_FALSE(timetable->forwards());
    for (Rank rank = 0; rank < placement.participants(); ++rank) {
        EXPECT_EQ(timetable->sends_of(rank), (*tree)->sends_of(rank));
    }
}

TEST(LocalGroup, IsTheFirstChoiceForClustersAndOnlyForThem) {
    const auto first = std::find_if(algorithms().begin(), algorithms().end(),
                                    [](const Algorithm& algorithm) { return algorithm.is_for(NetworkKind::clusters); });
    EXPECT_EQ(first->name, "local-group");
    EXPECT_FALSE(first->is_for(NetworkKind::tree));
    EXPECT_FALSE(first->is_for(NetworkKind::torus));
    EXPECT_TRUE((*find_algorithm("tree"))->is_for(NetworkKind::clusters));
    EXPECT_FALSE((*find_algorithm("tree"))->is_for(NetworkKind::torus));
}

/// Whatever is for any tree makes schedules for clusters, too, and keeps its promise there.
TEST(LocalGroup, OtherAlgorithmsRunOnClusters) {
    const Network network = test::random_clusters(11, 5, 7);
    const Placement placement = full_placement(network);
    for (const Algorithm& algorithm : algorithms()) {
        if (algorithm.is_for(NetworkKind::clusters)) {
            const auto timetable = build_timetable(algorithm, "", network, placement);
            ASSERT_TRUE(timetable) << to_string(timetable.error());
            const auto schedule = schedule_of_timetable(**timetable, std::string(algorithm.name), "",
                                                        tree_bound(network, placement).messages, network, placement);
            EXPECT_TRUE(schedule) << algorithm.name << ": " << schedule.error().what;
        }
    }
}

/// The paper's example: 3 and 7 ranks.
TEST(LocalGroup, ExampleOfThePaper) {
    const Network network = test::clusters_of({3, 7});
    const auto timetable = build_local_group(network, full_placement(network));
    const auto blocks = [&](Rank from, Rank to) {
        std::vector<Block> carried;
        for (const Transfer& send : timetable->sends_of(from)) {
            if (send.to == to) {
                timetable->append_blocks(send, carried);
            }
        }
        return carried;
    };
    // "8 sends M6,2, M7,2 and M8,2 to 2", and what the printed algorithm loses: rank 9 has no group of its own for 1
    // and 2, so one of the other groups takes each.
    EXPECT_THAT(blocks(8, 2), testing::ElementsAre(Block{6, 2}, Block{7, 2}, Block{8, 2}, Block{9, 2}));
    EXPECT_THAT(blocks(4, 1), testing::ElementsAre(Block{3, 1}, Block{4, 1}, Block{5, 1}, Block{9, 1}));
    EXPECT_THAT(blocks(7, 1), testing::ElementsAre(Block{6, 1}, Block{7, 1}, Block{8, 1}));
    // "in the last step only 0 and 9 exchange".
    EXPECT_THAT(blocks(9, 0), testing::ElementsAre(Block{9, 0}));
    EXPECT_THAT(blocks(0, 9), testing::ElementsAre(Block{0, 9}, Block{1, 9}, Block{2, 9}));
    EXPECT_EQ(timetable->receives_of(0).back().phase, timetable->phases() - 1);
    EXPECT_EQ(timetable->sends_of(9).back(), (Transfer{timetable->phases() - 1, 9, 0}));
    // Rank 7 hands its block for 2 to 8, with the one for 8 itself.
    EXPECT_THAT(blocks(7, 8), testing::ElementsAre(Block{7, 8}, Block{7, 2}));
}

TEST(LocalGroup, CountsOfTheCorrectedPaper) {
    const auto use_of = [](const std::vector<int>& sizes) {
        const Network network = test::clusters_of(sizes);
        return test::count_wide_area_use(*build_local_group(network, full_placement(network)), network,
                                         full_placement(network));
    };
    EXPECT_EQ(use_of({8, 8, 8, 8}).messages, 96);
    EXPECT_EQ(use_of({8, 8, 8, 8}).blocks, 768);
    EXPECT_EQ(use_of({8, 8, 8, 8}).phases, 3);
    EXPECT_EQ(use_of({30, 30}).messages, 60);
    EXPECT_EQ(use_of({30, 30}).phases, 1);

    // 30+30: every rank hands on 58 blocks where 29 would do inside its cluster.
    const Network thirty = test::clusters_of({30, 30});
    const auto timetable = build_local_group(thirty, full_placement(thirty));
    for (Rank rank = 0; rank < 60; ++rank) {
        std::int64_t inside = 0;
        for (const Transfer& send : timetable->sends_of(rank)) {
            inside += send.from / 30 == send.to / 30 ? blocks_of(*timetable, send) : 0;
        }
        EXPECT_EQ(inside, 58);
    }
    // 16+31: the rank that meets only one has a message of 31 blocks to receive.
    const Network uneven = test::clusters_of({16, 31});
    const auto of_uneven = build_local_group(uneven, full_placement(uneven));
    std::int64_t largest = 0;
    for (const Transfer& receive : of_uneven->receives_of(15)) {
        largest = std::max(largest, blocks_of(*of_uneven, receive));
    }
    EXPECT_EQ(largest, 31);
}

/// Both views of the agents, that of the origin and that of the agent, are the same.
TEST(LocalGroupFormula, DestinationsAndOriginsAreThoseOfTheAgents) {
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        std::mt19937_64 random(seed);
        std::vector<std::int32_t> sizes(1 + random() % 5);
        for (std::int32_t& size : sizes) {
            size = static_cast<std::int32_t>(1 + random() % 14);
        }
        SCOPED_TRACE(fmt::format("seed {}: {}", seed, fmt::join(sizes, "+")));
        const LocalGroupFormula formula(sizes);
        std::vector<Member> members;
        for (std::size_t cluster = 0; cluster < sizes.size(); ++cluster) {
            for (std::int32_t index = 0; index < sizes[cluster]; ++index) {
                members.push_back({static_cast<Cluster>(cluster), index});
            }
        }
        for (const Member& origin : members) {
            std::size_t handed = 0;
            for (std::int32_t agent = 0; agent < sizes[static_cast<std::size_t>(origin.cluster)]; ++agent) {
                std::vector<Member> destinations;
                formula.append_destinations(origin, agent, destinations);
                ASSERT_EQ(destinations.front(), (Member{origin.cluster, agent}));
                for (const Member& destination : destinations) {
                    ASSERT_EQ(formula.agent(origin, destination), agent);
                }
                handed += destinations.size();
            }
            ASSERT_EQ(handed, members.size());
            for (const local_group::Exchange& exchange : formula.exchanges_of(origin)) {
                ASSERT_LT(exchange.phase, formula.wide_area_phases());
                std::vector<std::int32_t> origins;
                formula.append_origins(origin, exchange.partner, origins);
                std::vector<std::int32_t> expected;
                for (std::int32_t index = 0; index < sizes[static_cast<std::size_t>(origin.cluster)]; ++index) {
                    if (formula.agent({origin.cluster, index}, exchange.partner) == origin.index) {
                        expected.push_back(index);
                    }
                }
                ASSERT_EQ(origins, expected);
            }
        }
    }
}

}  // namespace
}  // namespace aapc
