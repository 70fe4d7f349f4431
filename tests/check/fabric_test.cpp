// Fabrics: the checker's own ways, held against those of the planner, and what waits at their cables.
#include "aapc/topology/fabric.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include "aapc/check/queues.hpp"
#include "aapc/timetable/timetable.hpp"
#include "aapc/topology/bound.hpp"
#include "check/fabric_ways.hpp"
#include "support/fabrics.hpp"

namespace {

using aapc::DirectedLink;
using aapc::FabricRoutes;
using aapc::full_placement;
using aapc::Machine;
using aapc::Network;
using aapc::Placement;
using aapc::Rank;
using aapc::Transfer;
using aapc::check::FabricWays;
using aapc::test::dragonfly;
using aapc::test::fat_tree;
using aapc::test::leaf_spine;

std::vector<Network> static_fabrics() {
    std::vector<Network> fabrics{leaf_spine(4, 4, 2, "static"), leaf_spine(8, 4, 4, "static"), fat_tree(4, "static"),
                                 fat_tree(6, "static"), dragonfly(4, 3, "static")};
    for (unsigned seed = 0; seed < 8; ++seed) {
        fabrics.push_back(leaf_spine(5, 6, 4, "static", 6, seed));
    }
    return fabrics;
}

TEST(FabricWays, AreThoseOfThePlannerOnStaticPaths) {
    for (const Network& network : static_fabrics()) {
        const auto routes = FabricRoutes::find(network);
        auto ways = FabricWays::find(network);
        ASSERT_TRUE(routes && ways);
        const auto machines = static_cast<Machine>(network.machines().size());
        std::vector<DirectedLink> theirs;
        std::vector<std::int64_t> ours;
        for (Machine from = 0; from < machines; ++from) {
            for (Machine to = 0; to < machines; ++to) {
                theirs.clear();
                ours.clear();
                routes->append(from, to, 0, theirs);
                ways->append(from, to, 0, 0, ours);
                ASSERT_TRUE(std::equal(theirs.begin(), theirs.end(), ours.begin(), ours.end())) << from << ' ' << to;
            }
        }
    }
}

TEST(FabricWays, SpreadEveryMessageEvenlyAndWhole) {
    std::vector<Network> fabrics{leaf_spine(4, 4, 2, "hashed"), fat_tree(4, "sprayed"), dragonfly(3, 2, "hashed"),
                                 leaf_spine(5, 6, 4, "hashed", 6, 3)};
    for (const Network& network : fabrics) {
        auto ways = FabricWays::find(network);
        const auto routes = FabricRoutes::find(network);
        ASSERT_TRUE(ways && routes);
        const Placement placement = full_placement(network);
        std::vector<double> loads(2 * network.links().size(), 0);
        std::vector<FabricWays::Share> shares;
        for (const Machine from : placement.machine_of) {
            for (const Machine to : placement.machine_of) {
                ways->spread(from, to, shares);
                for (const FabricWays::Share& share : shares) {
                    loads[static_cast<std::size_t>(share.link)] += share.part;
                }
            }
        }
        const std::vector<double> planned = even_loads(network, *routes, placement);
        for (std::size_t link = 0; link < loads.size(); ++link) {
            ASSERT_NEAR(loads[link], planned[link], 1e-9) << link;
        }
    }
}

TEST(FabricWays, SeeTablesThatSendMessagesInACircle) {
    const Network good = leaf_spine(2, 1, 2, "static");
    std::vector<aapc::NetworkVertex> vertices = good.vertices();
    // Leaf 0 sends what is for machine 1 to spine 0, which sends it back.
    std::vector<aapc::TableEntry> table;
    for (std::size_t link = 0; link < good.links().size() && table.empty(); ++link) {
        const aapc::Link& cable = good.links()[link];
        if (cable.lower == 0 && cable.upper == 2) {
            table = {{0, 1, static_cast<std::int32_t>(link)}, {2, 1, static_cast<std::int32_t>(link)}};
        }
    }
    ASSERT_FALSE(table.empty());
    const Network circle(good.kind(), vertices, good.links(), good.machines(), good.mtu_bytes(),
                         {aapc::FabricPaths::static_, table});
    EXPECT_FALSE(FabricWays::find(circle));
    EXPECT_FALSE(FabricRoutes::find(circle));
}

/// Shift by shift, one a phase.
class Shifts final : public aapc::Timetable {
  public:
    explicit Shifts(Rank ranks) : ranks_(ranks) {}
    [[nodiscard]] Rank participants() const override { return ranks_; }
    [[nodiscard]] aapc::Phase phases() const override { return ranks_ - 1; }
    [[nodiscard]] aapc::Guarantee guarantee() const override { return aapc::Guarantee::one_port; }
    [[nodiscard]] std::vector<Transfer> sends_of(Rank rank) const override {
        std::vector<Transfer> sends;
        for (Rank shift = 1; shift < ranks_; ++shift) {
            sends.push_back({shift - 1, rank, (rank + shift) % ranks_});
        }
        return sends;
    }
    [[nodiscard]] std::vector<Transfer> receives_of(Rank rank) const override {
        std::vector<Transfer> receives;
        for (Rank shift = 1; shift < ranks_; ++shift) {
            receives.push_back({shift - 1, (rank + ranks_ - shift) % ranks_, rank});
        }
        return receives;
    }

  private:
    Rank ranks_;
};

// Zahavi 2011: shifts contend nowhere on full fat trees under destination-modulo.
TEST(FabricQueues, AreEmptyForShiftsUnderDestinationModulo) {
    for (const Network& network : {leaf_spine(4, 4, 4, "static"), fat_tree(4, "static"), fat_tree(8, "static")}) {
        const Placement placement = full_placement(network);
        const Shifts shifts(placement.participants());
        const auto certificate = certify_queues(shifts, network, placement);
        ASSERT_TRUE(certificate) << certificate.error().what;
        EXPECT_EQ(certificate->longest.queue_bytes, 0);
        EXPECT_NEAR(certificate->bound_seconds, network_bound(network, placement).seconds_per_byte, 1e-18);
    }
}

// All go by the same spine: the tables of a careless administrator.
TEST(FabricQueues, AreThoseOfTheTables) {
    std::string text = aapc::test::fabric_header("static");
    for (int leaf = 0; leaf < 2; ++leaf) {
        text += fmt::format(
            "[[switch]]\nname = 'l{0}'\nuplinks = 's[0-1]'\nmachines = 'n[{1}-{2}]'\nroutes = {{ s0 = "
            "'n[{3}-{4}]' }}\n",
            leaf, 2 * leaf, 2 * leaf + 1, 2 - 2 * leaf, 3 - 2 * leaf);
    }
    const Network network = aapc::test::read_fabric_text(text + "[[switch]]\nname = 's0'\n[[switch]]\nname = 's1'\n");
    const Placement placement = full_placement(network);
    const auto certificate = certify_queues(Shifts(4), network, placement);
    ASSERT_TRUE(certificate);
    EXPECT_GT(certificate->longest.queue_bytes, 0.5);
    EXPECT_NEAR(certificate->bound_seconds, 4 * 8 / 100e6, 1e-15);
}

TEST(FabricQueues, OfASampleAreThoseOfAllLinks) {
    const Network network = fat_tree(6, "static");
    const Placement placement = full_placement(network);
    const Shifts shifts(placement.participants());
    const auto all = certify_queues(shifts, network, placement);
    aapc::QueueRequest request;
    request.most_ranks_exact = 0;
    const auto some = certify_queues(shifts, network, placement, request);
    ASSERT_TRUE(all && some) << some.error().what;
    EXPECT_LT(some->links.size(), all->links.size());
    for (const aapc::LinkQueue& link : some->links) {
        const auto same = std::find_if(all->links.begin(), all->links.end(),
                                       [&](const aapc::LinkQueue& other) { return other.link == link.link; });
        ASSERT_NE(same, all->links.end());
        EXPECT_EQ(link.segments, same->segments);
        EXPECT_EQ(link.queue_bytes, same->queue_bytes);
    }
}

TEST(FabricQueues, DifferByTheDrawOfAHash) {
    const Network network = leaf_spine(4, 4, 2, "hashed");
    const Placement placement = full_placement(network);
    const Shifts shifts(placement.participants());
    aapc::QueueRequest request;
    std::vector<double> bounds;
    for (request.draw = 0; request.draw < 8; ++request.draw) {
        const auto certificate = certify_queues(shifts, network, placement, request);
        ASSERT_TRUE(certificate);
        bounds.push_back(certificate->bound_seconds);
        EXPECT_GE(certificate->bound_seconds, network_bound(network, placement).seconds_per_byte * (1 - 1e-12));
    }
    EXPECT_LT(*std::min_element(bounds.begin(), bounds.end()), *std::max_element(bounds.begin(), bounds.end()));
}

// Packets are on all cables at once, so that no cable ever has more than its share, and queues are shorter.
TEST(FabricQueues, OfSprayedPathsAreNeverLongerThanThoseOfADraw) {
    const Network hashed = leaf_spine(4, 4, 2, "hashed");
    const Network sprayed = leaf_spine(4, 4, 2, "sprayed");
    const Placement placement = full_placement(hashed);
    const Shifts shifts(placement.participants());
    const auto spread = certify_queues(shifts, sprayed, placement);
    ASSERT_TRUE(spread) << spread.error().what;
    EXPECT_NEAR(spread->bound_seconds, network_bound(sprayed, placement).seconds_per_byte, 1e-15);
    aapc::QueueRequest request;
    for (request.draw = 0; request.draw < 4; ++request.draw) {
        const auto drawn = certify_queues(shifts, hashed, placement, request);
        ASSERT_TRUE(drawn);
        EXPECT_LT(spread->longest.queue_bytes, drawn->longest.queue_bytes);
    }
}

TEST(EvenlyPacedQueue, IsTheExactOneNearFullAndLongerElsewhere) {
    // P(Q > q) = exp(-2q(q/N + 1 - r)).
    for (const double streams : {16.0, 200.0, 4000.0}) {
        for (const double utilisation : {0.8, 0.95, 1.0}) {
            const double queue = aapc::evenly_paced_queue(streams, utilisation, 1e-3);
            EXPECT_NEAR(std::exp(-2 * queue * (queue / streams + 1 - utilisation)), 1e-3, 1e-9);
        }
    }
}

/// Every message at a random tick of a cycle.
class RandomTicks final : public aapc::Timetable {
  public:
    RandomTicks(Rank ranks, double bound, double slack) : ranks_(ranks), cycle_{slack * bound, bound} {
        std::mt19937 generator(5);
        for (Rank pair = 0; pair < ranks * ranks; ++pair) {
            ticks_.push_back(static_cast<aapc::Phase>(generator() % static_cast<unsigned>(phases())));
        }
    }
    [[nodiscard]] Rank participants() const override { return ranks_; }
    [[nodiscard]] aapc::Phase phases() const override { return 1 << 24; }
    [[nodiscard]] aapc::Guarantee guarantee() const override { return aapc::Guarantee::within_capacity; }
    [[nodiscard]] std::optional<aapc::Cycle> cycle() const override { return cycle_; }
    [[nodiscard]] std::vector<Transfer> sends_of(Rank rank) const override {
        return list([&](Rank other) { return Transfer{tick(rank, other), rank, other}; }, rank);
    }
    [[nodiscard]] std::vector<Transfer> receives_of(Rank rank) const override {
        return list([&](Rank other) { return Transfer{tick(other, rank), other, rank}; }, rank);
    }

  private:
    [[nodiscard]] aapc::Phase tick(Rank from, Rank to) const {
        return ticks_[static_cast<std::size_t>(from * ranks_ + to)];
    }
    template <class Make>
    [[nodiscard]] std::vector<Transfer> list(Make make, Rank rank) const {
        std::vector<Transfer> transfers;
        for (Rank other = 0; other < ranks_; ++other) {
            if (other != rank) {
                transfers.push_back(make(other));
            }
        }
        std::sort(transfers.begin(), transfers.end());
        return transfers;
    }

    Rank ranks_;
    aapc::Cycle cycle_;
    std::vector<aapc::Phase> ticks_;
};

// Random offsets are what the formula is about.
TEST(HashedQueues, OfRandomOffsetsAreThoseOfTheFormula) {
    for (const double slack : {1.25, 1.5, 2.0}) {
        const Network network = leaf_spine(8, 16, 4, "hashed");
        const Placement placement = full_placement(network);
        const double bound = network_bound(network, placement).seconds_per_byte;
        const RandomTicks timetable(placement.participants(), bound, slack);
        const auto queues = certify_hashed_queues(timetable, network, placement, 8);
        ASSERT_TRUE(queues) << queues.error().what;
        // The formula lets a segment arrive at once, the checker as fast as it is served: less than a segment.
        EXPECT_NEAR(queues->segments, queues->formula_segments, 1) << to_string(*queues);
        EXPECT_NEAR(queues->segments / queues->formula_segments, 1, 0.25) << to_string(*queues);
        EXPECT_NEAR(queues->utilisation, 1.08 / slack, 0.05);
    }
    EXPECT_FALSE(certify_hashed_queues(Shifts(16), leaf_spine(4, 4, 2, "static"),
                                       full_placement(leaf_spine(4, 4, 2, "static"))));
}

}  // namespace
