// The orders of today's MPIs, by their own definitions.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

#include "aapc/algorithms/algorithm.hpp"
#include "support/networks.hpp"

namespace aapc {
namespace {

constexpr Rank most_ranks_here = 33;

std::unique_ptr<Timetable> build(std::string_view name, Rank ranks) {
    const Network network = test::chain_of({ranks}).build();
    return std::move(*build_timetable(**find_algorithm(name), "", network, full_placement(network)));
}

/// What `rank` sends, if it sends to `receiver(step)` in the phases 0, 1, ... for step = 1, 2, ...
template <class Receiver>
std::vector<Transfer> steps(Rank rank, Rank ranks, Receiver receiver) {
    std::vector<Transfer> sends;
    for (Rank step = 1; step < ranks; ++step) {
        sends.push_back({step - 1, rank, receiver(step)});
    }
    return sends;
}

TEST(Baselines, Ring) {
    for (Rank ranks = 1; ranks <= most_ranks_here; ++ranks) {
        const auto timetable = build("ring", ranks);
        EXPECT_EQ(timetable->guarantee(), Guarantee::one_port);
        for (Rank rank = 0; rank < ranks; ++rank) {
            EXPECT_EQ(timetable->sends_of(rank), steps(rank, ranks, [&](Rank step) { return (rank + step) % ranks; }));
        }
    }
}

TEST(Baselines, ScatteredIsTheRingTheOtherWayRound) {
    for (Rank ranks = 1; ranks <= most_ranks_here; ++ranks) {
        const auto timetable = build("scattered", ranks);
        EXPECT_EQ(timetable->guarantee(), Guarantee::one_port);
        for (Rank rank = 0; rank < ranks; ++rank) {
            EXPECT_EQ(timetable->sends_of(rank),
                      steps(rank, ranks, [&](Rank step) { return (rank + ranks - step) % ranks; }));
        }
    }
}

TEST(Baselines, PairwiseExchangesWhereItCan) {
    for (Rank ranks = 1; ranks <= most_ranks_here; ++ranks) {
        const auto timetable = build("pairwise", ranks);
        const bool power_of_two = std::has_single_bit(static_cast<unsigned>(ranks));
        EXPECT_EQ(timetable->guarantee(), Guarantee::one_port);
        for (Rank rank = 0; rank < ranks; ++rank) {
            EXPECT_EQ(timetable->sends_of(rank), steps(rank, ranks, [&](Rank step) {
                          return power_of_two ? rank ^ step : (rank + step) % ranks;
                      }));
        }
    }
}

TEST(Baselines, LinearGoesThroughTheRanks) {
    for (Rank ranks = 1; ranks <= most_ranks_here; ++ranks) {
        const auto timetable = build("linear", ranks);
        EXPECT_EQ(timetable->guarantee(), Guarantee::nothing);
        EXPECT_EQ(timetable->phases(), ranks > 1 ? ranks : 0);
        for (Rank rank = 0; rank < ranks; ++rank) {
            std::vector<Transfer> sends;
            for (Rank to = 0; to < ranks; ++to) {
                if (to != rank) {
                    sends.push_back({to, rank, to});
                }
            }
            EXPECT_EQ(timetable->sends_of(rank), sends);
        }
    }
}

TEST(Baselines, RunAsTheirMpisRunThem) {
    const auto customary = [](std::string_view name) { return to_string((*find_algorithm(name))->synchronisation); };
    EXPECT_EQ(customary("ring"), "window:1");
    EXPECT_EQ(customary("pairwise"), "window:1");
    EXPECT_EQ(customary("scattered"), "window:32");
    EXPECT_EQ(customary("linear"), "window:all");
    EXPECT_EQ(customary("bruck"), "window:1");
    for (const std::string_view name : {"ring", "pairwise", "scattered", "linear", "bruck"}) {
        const auto read_back = parse_synchronisation(customary(name));
        ASSERT_TRUE(read_back) << to_string(read_back.error());
        EXPECT_EQ(*read_back, (*find_algorithm(name))->synchronisation);
    }
}

/// The number of ranks decides everything; the network and the order of its machines do not matter.
TEST(Baselines, KnowNothingOfTheNetwork) {
    const Network network = test::random_tree(3, 11, 11).build();
    Placement placement = full_placement(network);
    placement.machine_of.resize(7);
    Placement backwards = placement;
    std::reverse(backwards.machine_of.begin(), backwards.machine_of.end());
    const Network triangle(NetworkKind::torus, {{"t0", false}, {"t1", false}, {"t2", false}},
                           {{0, 1, 1}, {1, 2, 1}, {2, 0, 1}}, {{0, 1}, {1, 1}, {2, 1}});
    for (const std::string_view name : {"ring", "pairwise", "scattered", "linear", "bruck"}) {
        const Algorithm& algorithm = **find_algorithm(name);
        const auto one = build_timetable(algorithm, "", network, placement);
        const auto other = build_timetable(algorithm, "", network, backwards);
        const auto third = build_timetable(algorithm, "", triangle, Placement{{0, 0, 1, 1, 2, 2, 2}});
        ASSERT_TRUE(one && other && third) << name;
        for (Rank rank = 0; rank < 7; ++rank) {
            EXPECT_EQ((*one)->sends_of(rank), (*other)->sends_of(rank)) << name;
            EXPECT_EQ((*one)->sends_of(rank), (*third)->sends_of(rank)) << name;
        }
    }
}

}  // namespace
}  // namespace aapc
