#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "aapc/offline/synchronise.hpp"
#include "check/drafts.hpp"
#include "support/networks.hpp"
#include "support/schedules.hpp"

namespace aapc {
namespace {

using test::orders_everything;
using Kind = Synchronisation::Kind;

/// Every kind that has edges, in blocks of `block_phases` where it has blocks.
std::vector<Synchronisation> kinds_with_edges(Phase block_phases) {
    std::vector<Synchronisation> kinds;
    for (const SynchronisationEntry& entry : synchronisations()) {
        const auto kind = Synchronisation::with_blocks(entry.kind, entry.has_blocks ? block_phases : 0);
        if (uses_edges(kind)) {
            kinds.push_back(kind);
        }
    }
    return kinds;
}

std::string complaint(const Schedule& schedule, Synchronisation synchronisation, const std::vector<Edge>& edges) {
    const auto violation = check_synchronisation(schedule, synchronisation, edges);
    return violation ? violation->what : "";
}

/// One switch with three machines and the ring on it: n0->n1 n1->n2 n2->n0, then n0->n2 n1->n0 n2->n1.
struct RingOfThree : testing::Test {
    Network network = test::chain_of({3}).build();
    Schedule schedule = *check_schedule(test::ring_draft(3), network, full_placement(network));
    /// Consecutive users of each receiving port.
    std::vector<Edge> edges{{{0, 0, 1}, {1, 2, 1}}, {{0, 1, 2}, {1, 0, 2}}, {{0, 2, 0}, {1, 1, 0}}};

    std::string complaint(Synchronisation synchronisation) const {
        return aapc::complaint(schedule, synchronisation, edges);
    }
};

TEST_F(RingOfThree, SenderNeedsTheReceiversEdgesOnly) {
    EXPECT_EQ(complaint(Synchronisation::sender), "");
    edges.erase(edges.begin() + 1);
    EXPECT_EQ(complaint(Synchronisation::sender),
              "Messages n1->n2 of phase 0 and n0->n2 of phase 1 both use the link s0->n2, but nothing makes the second "
              "wait until the first is locally complete.");
}

/// A local completion says nothing of the reception, so messages of one sender need an edge too.
TEST_F(RingOfThree, ReceiverNeedsTheSendersEdgesToo) {
    EXPECT_EQ(complaint(Synchronisation::receiver),
              "Messages n0->n1 of phase 0 and n0->n2 of phase 1 both use the sending port of n0, but nothing makes the "
              "second wait until the first is received.");
    edges.insert(edges.end(), {{{0, 0, 1}, {1, 0, 2}}, {{0, 1, 2}, {1, 1, 0}}, {{0, 2, 0}, {1, 2, 1}}});
    EXPECT_EQ(complaint(Synchronisation::receiver), "");
}

TEST_F(RingOfThree, KindsWithoutSynchronisationMessagesTakeNoEdges) {
    const std::vector<Edge> given = edges;
    for (const Kind kind :
         {Kind::none, Kind::dummy, Kind::barrier, Kind::barrier_partial_none, Kind::window, Kind::timed}) {
        const bool has_blocks = kind == Kind::barrier_partial_none || kind == Kind::window;
        const Synchronisation synchronisation = Synchronisation::with_blocks(kind, has_blocks ? 2 : 0);
        edges = given;
        EXPECT_EQ(complaint(synchronisation), "Synchronisation '" + to_string(synchronisation) +
                                                  "' sends no synchronisation messages, but 3 are given.");
        edges.clear();
        EXPECT_EQ(complaint(synchronisation), "") << to_string(synchronisation);
    }
}

/// Both phases in one block, or each in its own.
TEST_F(RingOfThree, PartialKindsHaveEdgesBetweenBlocksOnly) {
    const Synchronisation separate = Synchronisation::with_blocks(Kind::sender_partial, 1);
    EXPECT_EQ(complaint(separate), "");
    const std::vector<Edge> given = edges;
    edges.pop_back();
    EXPECT_THAT(complaint(separate), testing::EndsWith("nothing makes the second wait until the first is locally "
                                                       "complete."));
    const Synchronisation together = Synchronisation::with_blocks(Kind::sender_partial, 2);
    edges.clear();
    EXPECT_EQ(complaint(together), "");
    for (const Edge& edge : given) {
        edges = {edge};
        EXPECT_THAT(complaint(together), testing::EndsWith("of phase 0, and 'sender-partial:2' has synchronisation "
                                                           "messages between blocks only."));
    }
}

TEST_F(RingOfThree, PartialBarriersHaveEdgesInsideBlocksOnly) {
    const Synchronisation together = Synchronisation::with_blocks(Kind::barrier_partial_sender, 2);
    EXPECT_EQ(complaint(together), "");
    const std::vector<Edge> given = edges;
    edges.pop_back();
    EXPECT_THAT(complaint(together), testing::EndsWith("nothing makes the second wait until the first is locally "
                                                       "complete."));
    const Synchronisation separate = Synchronisation::with_blocks(Kind::barrier_partial_sender, 1);
    edges.clear();
    EXPECT_EQ(complaint(separate), "");
    for (const Edge& edge : given) {
        edges = {edge};
        EXPECT_THAT(complaint(separate), testing::EndsWith("of phase 0, and 'barrier-partial-sender:1' has "
                                                           "synchronisation messages inside a block only."));
    }
}

TEST_F(RingOfThree, BlocksHaveAtLeastOnePhase) {
    edges.clear();
    for (const SynchronisationEntry& entry : synchronisations()) {
        for (const Phase phases : {-2, 0}) {
            if (entry.has_blocks) {
                EXPECT_EQ(complaint(Synchronisation::with_blocks(entry.kind, phases)),
                          "Synchronisation '" + std::string(entry.name) +
                              "' needs blocks of at least one phase, not of " + std::to_string(phases) + ".");
            }
        }
    }
}

TEST_F(RingOfThree, WhatNeedsContentionFreePhasesIsRefusedWithoutThem) {
    for (const Guarantee guarantee : {Guarantee::one_port, Guarantee::nothing}) {
        ScheduleDraft draft = test::ring_draft(3);
        draft.guarantee = guarantee;
        const auto loose = check_schedule(draft, network, full_placement(network));
        ASSERT_TRUE(loose.has_value()) << loose.error().what;
        for (const SynchronisationEntry& entry : synchronisations()) {
            const Synchronisation synchronisation = Synchronisation::with_blocks(entry.kind, entry.has_blocks ? 1 : 0);
            EXPECT_EQ(aapc::complaint(*loose, synchronisation, {}),
                      needs_contention_free_phases(synchronisation)
                          ? "Synchronisation '" + to_string(synchronisation) +
                                "' is for contention-free phases, but the guarantee of these is '" +
                                std::string(to_string(guarantee)) + "'."
                          : "");
        }
    }
}

TEST_F(RingOfThree, EdgesOfUnknownMessages) {
    for (const Transfer& unknown :
         std::vector<Transfer>{{1, 0, 1}, {-1, 0, 1}, {0, 0, 0}, {0, 3, 1}, {0, -1, 1}, {0, 0, 7}}) {
        const std::string expected = "A synchronisation names a message from rank " + std::to_string(unknown.from) +
                                     " to rank " + std::to_string(unknown.to) + " in phase " +
                                     std::to_string(unknown.phase) + ", but the schedule has no such message.";
        for (const Edge& edge : {Edge{unknown, {1, 2, 1}}, Edge{{0, 0, 1}, unknown}}) {
            for (const Synchronisation synchronisation : {Synchronisation::sender, Synchronisation::receiver}) {
                std::vector<Edge> mutant = edges;
                mutant.push_back(edge);
                EXPECT_EQ(aapc::complaint(schedule, synchronisation, mutant), expected);
            }
        }
    }
}

TEST_F(RingOfThree, EdgesThatDoNotPointToALaterPhase) {
    std::swap(edges[2].after, edges[2].before);
    EXPECT_EQ(complaint(Synchronisation::sender),
              "A synchronisation makes message n2->n0 of phase 0 wait for message n1->n0 of phase 1, which is not an "
              "earlier phase.");
    edges[2] = {{0, 0, 1}, {0, 1, 2}};
    EXPECT_EQ(complaint(Synchronisation::sender),
              "A synchronisation makes message n1->n2 of phase 0 wait for message n0->n1 of phase 0, which is not an "
              "earlier phase.");
    edges[2].before = edges[2].after;
    EXPECT_EQ(complaint(Synchronisation::sender),
              "A synchronisation makes message n0->n1 of phase 0 wait for message n0->n1 of phase 0, which is not an "
              "earlier phase.");
}

TEST_F(RingOfThree, AnEdgeGivenTwiceOrdersAsOneDoes) {
    edges.push_back(edges.front());
    EXPECT_EQ(complaint(Synchronisation::sender), "");
}

/// All schedules of the tests below: both kinds, from a seed.
Schedule schedule_of(const Network& network, std::uint64_t seed) {
    const Placement placement = full_placement(network);
    if (seed % 3 == 0) {
        return *check_schedule(test::greedy_draft(network, placement, seed), network, placement);
    }
    return *test::build_tree_schedule(network, placement, seed % 3 == 1 ? "paper" : "merged").schedule;
}

class RandomTrees : public testing::TestWithParam<std::uint64_t> {};

TEST_P(RandomTrees, EveryReductionIsAccepted) {
    const Network network = test::random_tree(GetParam(), 2, 8).build();
    const Schedule schedule = schedule_of(network, GetParam());
    for (const Phase block_phases : {1, 2, 5, 1000}) {
        for (const Synchronisation& synchronisation : kinds_with_edges(block_phases)) {
            for (const Reduction reduction : {Reduction::none, Reduction::pair_rule, Reduction::exact}) {
                EXPECT_EQ(
                    complaint(schedule, synchronisation, synchronisation_edges(schedule, synchronisation, reduction)),
                    "")
                    << "seed " << GetParam() << ", " << to_string(synchronisation);
            }
        }
    }
}

/// Of an exactly reduced set, each edge is needed. That goes for kinds with blocks as well: the orders that are assumed
/// inside blocks are orders that the full set has too, and a barrier orders nothing inside a block.
TEST_P(RandomTrees, EveryLostEdgeIsNoticed) {
    const Network network = test::random_tree(GetParam(), 2, 8).build();
    const Schedule schedule = schedule_of(network, GetParam());
    for (const Synchronisation& synchronisation : kinds_with_edges(static_cast<Phase>(1 + GetParam() % 5))) {
        const std::vector<Edge> edges = synchronisation_edges(schedule, synchronisation, Reduction::exact);
        for (std::size_t lost = 0; lost < edges.size(); ++lost) {
            std::vector<Edge> mutant = edges;
            mutant.erase(mutant.begin() + static_cast<std::ptrdiff_t>(lost));
            EXPECT_NE(complaint(schedule, synchronisation, mutant), "")
                << "seed " << GetParam() << ", " << to_string(synchronisation) << ", edge " << lost;
            mutant = edges;
            std::swap(mutant[lost].after, mutant[lost].before);
            EXPECT_NE(complaint(schedule, synchronisation, mutant), "") << "seed " << GetParam() << ", edge " << lost;
        }
    }
}

/// Every candidate that the kind must not have, added to those that it must.
TEST_P(RandomTrees, EveryEdgeInTheWrongBlockIsRefused) {
    const Network network = test::random_tree(GetParam(), 2, 8).build();
    const Schedule schedule = schedule_of(network, GetParam());
    for (const Synchronisation& synchronisation : kinds_with_edges(static_cast<Phase>(1 + GetParam() % 5))) {
        const std::vector<Edge> edges = synchronisation_edges(schedule, synchronisation, Reduction::pair_rule);
        for (const Edge& candidate : synchronisation_candidates(schedule)) {
            if (!has_token_between(synchronisation, candidate.after.phase, candidate.before.phase)) {
                std::vector<Edge> mutant = edges;
                mutant.push_back(candidate);
                EXPECT_THAT(complaint(schedule, synchronisation, mutant),
                            testing::HasSubstr("synchronisation messages"))
                    << "seed " << GetParam() << ", " << to_string(synchronisation);
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomTrees, testing::Range<std::uint64_t>(0, 60),
                         [](const auto& instance) { return "Seed" + std::to_string(instance.param); });

/// Random edges over schedules of up to six ranks: clocks against the transitive closure.
TEST(SynchronisationCheck, AgreesWithTheTransitiveClosure) {
    int accepted = 0;
    int rejected = 0;
    for (std::uint64_t seed = 0; seed < 90; ++seed) {
        const test::TreeBuilder tree = test::random_tree(seed, 2, 5);
        const Network network = tree.build();
        if (full_placement(network).participants() > 6) {
            continue;
        }
        const Schedule schedule = schedule_of(network, seed);
        std::vector<Transfer> messages;
        for (const std::vector<Transfer>& phase : schedule.phases()) {
            messages.insert(messages.end(), phase.begin(), phase.end());
        }
        std::mt19937_64 random(seed);
        for (const Synchronisation& synchronisation : kinds_with_edges(static_cast<Phase>(2 + seed % 3))) {
            for (int round = 0; round < 12; ++round) {
                // A reduced set less a few edges, and some edges from anywhere that may or may not make up for them.
                std::vector<Edge> edges = synchronisation_edges(schedule, synchronisation,
                                                                round % 2 == 0 ? Reduction::exact : Reduction::none);
                for (int lost = round / 4; lost > 0 && !edges.empty(); --lost) {
                    edges.erase(edges.begin() + static_cast<std::ptrdiff_t>(random() % edges.size()));
                }
                for (int added = 3 * (round % 4); added > 0; --added) {
                    const Edge edge{messages[random() % messages.size()], messages[random() % messages.size()]};
                    if (edge.after.phase < edge.before.phase &&
                        has_token_between(synchronisation, edge.after.phase, edge.before.phase)) {
                        edges.push_back(edge);
                    }
                }
                std::shuffle(edges.begin(), edges.end(), random);
                const bool good = orders_everything(schedule, synchronisation, edges);
                EXPECT_EQ(complaint(schedule, synchronisation, edges).empty(), good)
                    << "seed " << seed << ", round " << round << ", " << to_string(synchronisation) << "\n"
                    << tree.toml();
                ++(good ? accepted : rejected);
            }
        }
    }
    EXPECT_GT(accepted, 600);
    EXPECT_GT(rejected, 600);
}

}  // namespace
}  // namespace aapc
