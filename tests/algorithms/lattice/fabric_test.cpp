// The lattice on fabrics, judged by the checker.
#include "aapc/topology/fabric.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <set>
#include <tuple>
#include <vector>

#include "aapc/check/queues.hpp"
#include "aapc/topology/bound.hpp"
#include "algorithms/lattice/busy_channels.hpp"
#include "algorithms/lattice/choice.hpp"
#include "algorithms/lattice/lattice_timetable.hpp"
#include "algorithms/lattice/traffic.hpp"
#include "support/fabrics.hpp"

namespace {

using aapc::full_placement;
using aapc::Network;
using aapc::Placement;
using aapc::test::dragonfly;
using aapc::test::fat_tree;
using aapc::test::leaf_spine;

/// The longest queue of the lattice on all ranks, in segments. Its cycle is checked as well.
void measure_queue(const Network& network, double& segments) {
    const Placement placement = full_placement(network);
    const auto timetable = aapc::lattice::build_formula(network, placement);
    ASSERT_TRUE(timetable);
    const auto certificate = certify_queues(**timetable, network, placement);
    ASSERT_TRUE(certificate) << certificate.error().what;
    EXPECT_LE(certificate->cycle_over_bound(), 1.0201);
    segments = certificate->segments();
}

TEST(LatticeOnFabrics, HasShortQueuesUnderStaticTables) {
    std::vector<Network> fabrics{
        leaf_spine(4, 4, 2, "static"),  leaf_spine(4, 4, 4, "static"),   leaf_spine(2, 8, 4, "static"),
        leaf_spine(8, 16, 4, "static"), leaf_spine(8, 16, 16, "static"), fat_tree(4, "static"),
        fat_tree(8, "static"),          dragonfly(3, 2, "static"),       dragonfly(4, 4, "static")};
    for (unsigned seed = 0; seed < 4; ++seed) {
        fabrics.push_back(leaf_spine(6, 8, 4, "static", 3, seed));
        fabrics.push_back(leaf_spine(8, 16, 8, "static", 6, seed));
    }
    std::vector<double> queues;
    for (const Network& network : fabrics) {
        ASSERT_NO_FATAL_FAILURE(measure_queue(network, queues.emplace_back()));
    }
    std::sort(queues.begin(), queues.end());
    EXPECT_LE(queues[queues.size() * 9 / 10], 8.0) << queues.back();
}

TEST(LatticeOnFabrics, HasShortQueuesWhereASampleOfCablesIsPlayed) {
    for (unsigned seed = 0; seed < 3; ++seed) {
        double segments = 0;
        ASSERT_NO_FATAL_FAILURE(measure_queue(leaf_spine(12, 20, 10, "static", 8, seed), segments));
        EXPECT_LE(segments, 8.0) << seed;
    }
}

/// With two ways of equal length between many pairs of switches, as in docs/lattice.md.
TEST(LatticeOnFabrics, HasShortQueuesOnDragonflies) {
    for (const Network& network :
         {dragonfly(5, 3, "static"), dragonfly(5, 4, "static"), dragonfly(6, 5, "static"), dragonfly(8, 8, "static"),
          dragonfly(4, 2, "static", 2), dragonfly(4, 4, "static", 2), dragonfly(6, 3, "static", 3)}) {
        double segments = 0;
        ASSERT_NO_FATAL_FAILURE(measure_queue(network, segments));
        EXPECT_LE(segments, 8.0) << network.machines().size();
    }
}

/// Any part of the ranks, several of them on a machine: every pair once, and what one rank says is what the other says.
TEST(LatticeOnFabrics, IsATimetableForAnyRanks) {
    std::mt19937 random(3);
    for (int draw = 0; draw < 12; ++draw) {
        const Network network = draw % 2 == 0 ? dragonfly(2 + draw % 4, 1 + draw % 3, "static", 1 + draw % 2)
                                              : leaf_spine(4, 5, 3, "static", 2, static_cast<unsigned>(draw));
        Placement placement;
        for (std::size_t machine = 0; machine < network.machines().size(); ++machine) {
            placement.machine_of.insert(placement.machine_of.end(), random() % 4, static_cast<aapc::Machine>(machine));
        }
        const auto timetable = aapc::lattice::build_formula(network, placement);
        ASSERT_TRUE(timetable);
        std::set<aapc::Transfer> sent;
        std::set<aapc::Transfer> received;
        for (aapc::Rank rank = 0; rank < placement.participants(); ++rank) {
            const std::vector<aapc::Transfer> sends = (*timetable)->sends_of(rank);
            const std::vector<aapc::Transfer> receives = (*timetable)->receives_of(rank);
            const auto earlier = [](const auto& left, const auto& right) { return left.phase < right.phase; };
            EXPECT_TRUE(std::is_sorted(sends.begin(), sends.end(), earlier));
            EXPECT_TRUE(std::is_sorted(receives.begin(), receives.end(), earlier));
            ASSERT_EQ(sends.size(), static_cast<std::size_t>(placement.participants()) - 1);
            sent.insert(sends.begin(), sends.end());
            received.insert(receives.begin(), receives.end());
        }
        EXPECT_EQ(sent, received) << "draw " << draw;
        const auto certificate = certify_queues(**timetable, network, placement);
        ASSERT_TRUE(certificate) << certificate.error().what;
        EXPECT_LE(certificate->cycle_over_bound(), 1.0201);
    }
}

TEST(LatticeOnFabrics, PlaysBusyCablesAsItPlaysAllChannels) {
    using namespace aapc::lattice;
    constexpr std::int64_t no_limit = std::numeric_limits<std::int64_t>::max();
    for (const Network& network : {leaf_spine(6, 8, 4, "static", 3, 1), dragonfly(4, 4, "static")}) {
        const Placement placement = full_placement(network);
        const auto places = place_ranks(network, placement, FabricOrder::file);
        const auto traffic = Traffic::find(network, placement, *places, 1 << 20);
        auto busy = BusyChannels::find(network, placement, *places, network_bound(network, placement), slack_of_trees);
        ASSERT_TRUE(traffic && busy);
        QueueMeter meter(*traffic, traffic->positions() * ticks_in_slot, slack_of_trees);
        const std::int64_t most = traffic->busiest().messages;
        std::vector<std::size_t> played;  // busy cables, and both directions of the first machine's port
        for (std::size_t channel = 0; channel < traffic->channels(); ++channel) {
            const auto& link = network.links()[static_cast<std::size_t>(traffic->link(channel)) / 2];
            if (network.vertices()[static_cast<std::size_t>(link.lower)].is_switch
                    ? 2 * traffic->load(channel) >= most
                    : link.lower == network.machines().front().vertex) {
                played.push_back(channel);
            }
        }
        std::int64_t messages = 0;
        for (const Multipliers& multipliers :
             {Multipliers{1, 1, true}, Multipliers{5, 7, true}, Multipliers{7, 1, false}}) {
            const LatticeFormula formula(traffic->positions(), multipliers);
            std::vector<std::tuple<Tick, Position, Position>> starts;
            for (Position from = 0; from < traffic->positions(); ++from) {
                for (Position to = 0; to < traffic->positions(); ++to) {
                    starts.emplace_back(formula.tick(from, to), from, to);
                }
            }
            std::sort(starts.begin(), starts.end());
            meter.clear();
            for (const auto& [tick, from, to] : starts) {
                meter.add(from, to, tick);
            }
            std::int64_t longest = 0;
            messages = 0;
            for (const std::size_t channel : played) {
                longest = std::max(longest, meter.longest_of(channel));
                messages += traffic->load(channel);
            }
            EXPECT_EQ(busy->longest(formula, no_limit, no_limit), longest);
        }
        EXPECT_EQ(busy->messages(), messages);
    }
    const Network hashed = leaf_spine(4, 4, 2, "hashed");
    const Placement placement = full_placement(hashed);
    EXPECT_FALSE(BusyChannels::find(hashed, placement, *place_ranks(hashed, placement),
                                    network_bound(hashed, placement), slack_of_trees));
}

TEST(LatticeOnFabrics, IsFreeOfContentionUnderDestinationModulo) {
    for (const Network& network : {leaf_spine(4, 4, 4, "static"), fat_tree(4, "static"), fat_tree(8, "static")}) {
        const Placement placement = full_placement(network);
        const auto timetable = aapc::lattice::build_formula(network, placement);
        ASSERT_TRUE(timetable);
        const auto certificate = certify_queues(**timetable, network, placement);
        ASSERT_TRUE(certificate);
        // A cycle has as many slots as ranks, the slot of the rank's message to itself included: with few ranks slots
        // are a little shorter than messages.
        EXPECT_LT(certificate->segments(), placement.participants() >= 50 ? 0.01 : 1);
    }
}

TEST(LatticeOnFabrics, SettlesWhereRoutesAreKnown) {
    const Network network = leaf_spine(4, 4, 2, "static");
    const Placement placement = full_placement(network);
    const auto settled = aapc::lattice::build(network, placement, "settled");
    ASSERT_TRUE(settled);
    EXPECT_EQ((*settled)->remark(), "");
    const auto certificate = certify_queues(**settled, network, placement);
    ASSERT_TRUE(certificate) << certificate.error().what;
    EXPECT_EQ(certificate->segments(), 0);
    const Network hashed = leaf_spine(4, 4, 2, "hashed");
    const auto formula = aapc::lattice::build(hashed, placement, "settled");
    ASSERT_TRUE(formula);
    EXPECT_NE((*formula)->remark().find("paths are not known"), std::string::npos);
}

TEST(LatticeOnFabrics, HasShorterQueuesThanRandomOffsetsUnderAHash) {
    for (const Network& network :
         {leaf_spine(4, 8, 4, "hashed"), leaf_spine(8, 16, 4, "hashed"), fat_tree(8, "hashed")}) {
        const Placement placement = full_placement(network);
        const auto timetable = aapc::lattice::build_formula(network, placement);
        ASSERT_TRUE(timetable);
        // No cycle is promised that the hash does not leave.
        EXPECT_GE((*timetable)->cycle()->seconds_per_byte,
                  expected_bound(network, *aapc::FabricRoutes::find(network), placement).mean);
        const auto queues = certify_hashed_queues(**timetable, network, placement, 8);
        ASSERT_TRUE(queues) << queues.error().what;
        EXPECT_LE(queues->segments, queues->formula_segments) << to_string(*queues);
    }
}

}  // namespace
