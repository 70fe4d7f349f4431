#include "selection/rule.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "aapc/topology/detection.hpp"
#include "aapc/topology/topology_file.hpp"
#include "algorithms/factor/factor_timetable.hpp"
#include "algorithms/local_group/local_group_timetable.hpp"
#include "selection/start.hpp"
#include "support/clusters.hpp"
#include "support/fabrics.hpp"
#include "support/torus.hpp"

namespace aapc::selection {
namespace {

using factor::smallest_block_on_unknown_wires;
using local_group::smallest_block_not_gathered;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// Two switches with `machines` machines each, ports of 10 Mbit/s unless told otherwise, and a trunk.
Network two_switches(int machines, double trunk_bits_per_second, double port_bits_per_second = 1e7) {
    std::vector<NetworkVertex> vertices = {{"s0", true}, {"s1", true}};
    std::vector<Link> links = {{1, 0, trunk_bits_per_second}};
    std::vector<NetworkMachine> runs;
    for (int machine = 0; machine < 2 * machines; ++machine) {
        const auto vertex = static_cast<Vertex>(vertices.size());
        vertices.push_back({"n" + std::to_string(machine), false});
        links.push_back({vertex, machine < machines ? 0 : 1, port_bits_per_second});
        runs.push_back({vertex, 1});
    }
    return {NetworkKind::tree, vertices, links, runs};
}

Decision decision(const Network& network, const Placement& placement, const Forced& forced = {},
                  const Tuning* tuning = nullptr) {
    return decide(network, placement, network_bound(network, placement), forced, tuning);
}

/// From where on an exchange of all ranks is worth its start.
std::int64_t worth_a_start(const Network& network, const Placement& placement) {
    const Bound bound = network_bound(network, placement);
    return crossover(network, placement, bound, expected_start_seconds(bound, placement.participants())).block_bytes;
}

Method method(std::string_view text) { return parse_method(text, NetworkKind::tree).value(); }

/// For the ranks of `placement`, each on its machine of `network`.
Tuning tuning_for(const Network& network, const Placement& placement, std::vector<TunedRange> ranges) {
    Tuning tuning;
    tuning.fingerprint = make_fingerprint(network, placement, "openmpi", "Open MPI", "f.toml");
    tuning.conditions.date = "2026-11-21";
    tuning.ranges = std::move(ranges);
    return tuning;
}

bool always_native(const Decision& decision) {
    return decision.ranges().size() == 1 && decision.ranges().front().from_bytes == 0 &&
           decision.ranges().front().method.native();
}

TEST(Choice, LatticeFromWhereItIsWorthAStart) {
    const Network network = two_switches(4, 1e7);
    const Decision chosen = decision(network, full_placement(network));
    const Method expected = method("lattice/settled+timed");
    const std::int64_t first = worth_a_start(network, full_placement(network));
    EXPECT_GT(first, smallest_scheduled_block);
    EXPECT_EQ(chosen.at(first), expected);
    EXPECT_EQ(chosen.at(largest_scheduled_block), expected);
    EXPECT_TRUE(chosen.at(0).native());
    EXPECT_TRUE(chosen.at(first - 1).native());
    EXPECT_TRUE(chosen.at(largest_scheduled_block + 1).native());
}

TEST(Choice, RangesAscendFromZeroWhateverIsForced) {
    const Network network = two_switches(2, 1e7);
    for (const Forced& forced : {Forced{}, Forced{method("native"), {}}, Forced{method("tree/paper"), {}}}) {
        const auto ranges = decision(network, full_placement(network), forced).ranges();
        ASSERT_FALSE(ranges.empty());
        EXPECT_EQ(ranges.front().from_bytes, 0);
        for (std::size_t range = 1; range < ranges.size(); ++range) {
            EXPECT_LT(ranges[range - 1].from_bytes, ranges[range].from_bytes);
        }
    }
}

TEST(Choice, NativeForFewerThanThreeRanksEvenIfForced) {
    const Network network = two_switches(2, 1e7);
    for (const std::vector<Machine>& machines : {std::vector<Machine>{}, {1}, {0, 3}}) {
        const Decision chosen = decision(network, {machines}, {method("tree+sender"), {}});
        EXPECT_TRUE(always_native(chosen));
        EXPECT_THAT(chosen.reason(), HasSubstr("three ranks"));
    }
}

TEST(Choice, TwoMachinesWithSeveralRanksAreScheduled) {
    const Network network = two_switches(2, 1e7);
    EXPECT_FALSE(decision(network, {{0, 0, 3, 3}}).at(65536).native());
}

TEST(Choice, ForcedNative) {
    const Network network = two_switches(4, 1e7);
    const Decision chosen = decision(network, full_placement(network), {method("native"), {}});
    EXPECT_TRUE(always_native(chosen));
    EXPECT_THAT(chosen.reason(), HasSubstr("AAPC_ALGORITHM"));
}

TEST(Choice, ForcedAlgorithmTakesEveryBlockButTheEmptyOne) {
    const Network network = two_switches(4, 1e7);
    const Decision chosen = decision(network, full_placement(network), {method("tree/paper+barrier"), {}});
    EXPECT_TRUE(chosen.at(0).native());
    EXPECT_EQ(chosen.at(1), method("tree/paper+barrier"));
    EXPECT_EQ(chosen.at(largest_scheduled_block), method("tree/paper+barrier"));
    EXPECT_TRUE(chosen.at(largest_scheduled_block + 1).native());
    EXPECT_EQ(chosen.basis(), Decision::Basis::forced);
}

TEST(Choice, ForcedSynchronisationLeavesTheSizeRule) {
    const Network network = two_switches(4, 1e7);
    const Decision chosen = decision(network, full_placement(network), {std::nullopt, Synchronisation::receiver});
    const std::int64_t first = worth_a_start(network, full_placement(network));
    EXPECT_TRUE(chosen.at(first - 1).native());
    EXPECT_EQ(chosen.at(first), method("tree/merged+receiver"));
}

TEST(Choice, OnAFabricAForcedSynchronisationIsTheLatticesToo) {
    const Network network = test::leaf_spine(4, 4, 2, "hashed");
    for (const Synchronisation& forced :
         {Synchronisation::with_blocks(Synchronisation::Kind::window, 4), Synchronisation::receiver}) {
        const Decision chosen = decision(network, full_placement(network), {std::nullopt, forced});
        Method expected = method("lattice/settled+timed");
        expected.synchronisation = forced;
        EXPECT_EQ(chosen.at(1 << 20), expected) << "what cannot be is refused where the exchange is made";
        EXPECT_EQ(chosen.basis(), Decision::Basis::forced);
    }
}

TEST(Choice, LatticeWhateverTheSpeedsOfLinksAre) {
    // 4+4: 16 messages over the trunk, 7 through a port.
    for (const double trunk : {1.02e7, 1.2e7, 1e8}) {
        const Network network = two_switches(4, trunk);
        const Decision chosen = decision(network, full_placement(network));
        const std::int64_t first = worth_a_start(network, full_placement(network));
        EXPECT_TRUE(chosen.at(first - 1).native()) << trunk;
        EXPECT_EQ(chosen.at(first), method("lattice/settled+timed")) << trunk;
        EXPECT_EQ(decision(network, full_placement(network), {method("tree"), {}}).at(8192), method("tree")) << trunk;
    }
}

/// What is said to whoever asks for that method there.
std::optional<std::string> remark(const Network& network, std::string_view algorithm, std::string_view variant = "") {
    const Placement placement = full_placement(network);
    const auto timetable = build_timetable(**find_algorithm(algorithm), variant, network, placement);
    return remark_on_phases(**timetable, network, network_bound(network, placement));
}

TEST(Choice, WhoeverAsksForPhasesThatTakeMuchLongerIsToldSo) {
    EXPECT_EQ(remark(two_switches(4, 1e8), "tree"),
              "phases of equal length take 2.3 times the bound here, since they last as long as the slowest link "
              "needs; algorithm 'lattice' stays near the bound at any speeds");
    EXPECT_EQ(remark(test::torus_of({4, 4}), "torus-direct"),
              "phases of equal length take 2.0 times the bound here; algorithm 'lattice' stays near the bound at any "
              "speeds");
    EXPECT_FALSE(remark(two_switches(4, 1.2e7), "tree")) << "1.2 times";
    EXPECT_FALSE(remark(two_switches(4, 1e8), "lattice"));
    EXPECT_FALSE(remark(two_switches(4, 1e8), "ring")) << "its phases are no longer than their messages";
    EXPECT_FALSE(remark(test::torus_of({8, 8}), "torus-direct"));
}

TEST(Choice, NativeWhereEqualPhasesWasteAFastTrunkAndAnotherSynchronisationIsForced) {
    const Network fast = two_switches(4, 1e8);
    const Decision chosen = decision(fast, full_placement(fast), {std::nullopt, Synchronisation::receiver});
    EXPECT_TRUE(always_native(chosen));
    EXPECT_THAT(chosen.reason(), HasSubstr("2.3 times"));
}

TEST(Choice, AMeasuredStartMovesWhatGoesByTimeAndNothingElse) {
    const auto decided = [](const Network& network, double start_seconds) {
        const Placement placement = full_placement(network);
        return decide(network, placement, network_bound(network, placement), {}, nullptr, "", start_seconds);
    };
    // 16 messages of 8 ns: a port holds 1 ms of the exchange.
    const Network gigabit = two_switches(4, 1e9, 1e9);
    for (const auto& [start, first] : {std::pair{0.0, 7813}, {2e-3, 85938}, {3e-3, 125000}, {20e-3, 789063}}) {
        const Decision chosen = decided(gigabit, start);
        EXPECT_TRUE(chosen.at(first - 1).native()) << start;
        EXPECT_EQ(chosen.at(first), method("lattice/settled+timed")) << start;
        EXPECT_EQ(chosen.crossover()->start_seconds, start);
    }
    const Network clusters = test::clusters_of({3, 7});
    const Decision early = decided(clusters, 0);
    const Decision late = decided(clusters, 1);
    EXPECT_NE(early.crossover()->block_bytes, late.crossover()->block_bytes);
    for (const std::int64_t bytes : {std::int64_t{1}, smallest_block_not_gathered - 1}) {
        EXPECT_EQ(early.at(bytes), late.at(bytes));
    }
}

TEST(Choice, TheLatticeGoesByTheSameTimeAsPhases) {
    const auto decided = [](const Network& network) {
        const Placement placement = full_placement(network);
        return decide(network, placement, network_bound(network, placement), {}, nullptr, "", 3e-3);
    };
    // 7 messages through a port of 1 Gbit/s are 56 ns a byte: 16 ms are 285,715 bytes.
    const Decision chosen = decided(two_switches(4, 1e10, 1e9));
    EXPECT_TRUE(chosen.at(285714).native());
    EXPECT_EQ(chosen.at(285715), method("lattice/settled+timed"));
    // Ten times as fast, ten times as large.
    const Decision faster = decided(two_switches(4, 1e11, 1e10));
    EXPECT_TRUE(faster.at(2857142).native());
    EXPECT_EQ(faster.at(2857143), method("lattice/settled+timed"));
}

// ---- Other kinds of networks ----

/// So many ranks on each of the machines, one machine after the other.
DetectedNetwork detected(const std::vector<int>& ranks, double bits_per_second = 0) {
    std::vector<RankPlace> places;
    for (std::size_t machine = 0; machine < ranks.size(); ++machine) {
        const auto lowest = static_cast<Rank>(places.size());
        for (int rank = 0; rank < ranks[machine]; ++rank) {
            places.push_back({lowest, fmt::format("h{}", machine)});
        }
    }
    return detect_network(places, bits_per_second);
}

TEST(Choice, BetweenClustersSmallBlocksAreGatheredAndLargeOnesScheduled) {
    const Network network = test::clusters_of({3, 7});
    const Decision chosen = decision(network, full_placement(network));
    EXPECT_TRUE(chosen.at(0).native());
    const Method local_group = parse_method("local-group", NetworkKind::clusters).value();
    EXPECT_EQ(chosen.at(1), local_group);
    EXPECT_EQ(chosen.at(smallest_block_not_gathered - 1), local_group);
    const std::int64_t first = worth_a_start(network, full_placement(network));
    EXPECT_TRUE(chosen.at(smallest_block_not_gathered).native());
    EXPECT_TRUE(chosen.at(first - 1).native());
    EXPECT_EQ(chosen.at(first), method("lattice/settled+timed"));
    EXPECT_EQ(chosen.at(largest_scheduled_block), method("lattice/settled+timed"));
    EXPECT_TRUE(chosen.at(largest_scheduled_block + 1).native());
}

TEST(Choice, BetweenClustersWithAFastBackboneSmallBlocksAreGathered) {
    const Network network = read_topology(
                                "[network]\nkind = \"clusters\"\nspeed = \"10Mbit\"\n"
                                "[[cluster]]\nname = \"a\"\nmachines = \"n[0-3]\"\n"
                                "[[cluster]]\nname = \"b\"\nmachines = \"n[4-7]\"\n"
                                "[wide_area]\nspeed = \"1Gbit\"\nlatency = \"1ms\"\n",
                                "clusters.toml")
                                .value();
    const Decision chosen = decision(network, full_placement(network));
    EXPECT_FALSE(chosen.at(1).native());
    EXPECT_TRUE(chosen.at(smallest_block_not_gathered).native());
    EXPECT_EQ(chosen.at(largest_scheduled_block), method("lattice/settled+timed"));
}

TEST(Choice, RanksOfOneClusterAreDecidedAsOnATree) {
    const Network network = test::clusters_of({3, 7});
    const Decision chosen = decision(network, {{3, 4, 5, 9}});
    const std::int64_t first = worth_a_start(network, {{3, 4, 5, 9}});
    EXPECT_TRUE(chosen.at(first - 1).native());
    EXPECT_EQ(chosen.at(first), method("lattice/settled+timed"));
}

TEST(Choice, TorusDirectWherePhasesAreAsFastAsTheLinks) {
    const Network large = test::torus_of({8, 8});
    const Decision chosen = decision(large, full_placement(large));
    const std::int64_t first = worth_a_start(large, full_placement(large));
    EXPECT_TRUE(chosen.at(first - 1).native());
    EXPECT_EQ(chosen.at(first), parse_method("torus-direct", NetworkKind::torus).value());
    // 4 x 4: the links would allow 8 phases, but a rank has 15 messages and sends one at a time.
    const Network small = test::torus_of({4, 4});
    const Decision otherwise = decision(small, full_placement(small));
    EXPECT_EQ(otherwise.at(1 << 20), parse_method("lattice/settled+timed", NetworkKind::torus).value());
    EXPECT_THAT(otherwise.reason(), AllOf(HasSubstr("times the bound"), Not(HasSubstr("trunks"))));
}

TEST(Choice, LatticeWithTheReasonWhereTorusDirectHasNoTimetable) {
    const Network two_ranks_each = test::torus_of({8, 8}, 2);
    const Decision shared = decision(two_ranks_each, full_placement(two_ranks_each));
    EXPECT_EQ(shared.at(1 << 20), parse_method("lattice/settled+timed", NetworkKind::torus).value());
    EXPECT_THAT(shared.reason(), HasSubstr("one rank on each machine"));
    const Network odd = test::torus_of({5, 5});
    EXPECT_EQ(decision(odd, full_placement(odd)).at(1 << 20),
              parse_method("lattice/settled+timed", NetworkKind::torus).value());
    EXPECT_TRUE(always_native(decision(odd, full_placement(odd), {std::nullopt, Synchronisation::sender})));
}

TEST(Choice, DetectedMachinesOfSeveralRanksGetFactorForLargeBlocks) {
    for (const double speed : {0.0, 1e10}) {
        for (const auto& [ranks, variant] : {std::pair{std::vector<int>{2, 2}, "fill"},
                                             {{4, 1, 3, 1}, "permutation"},
                                             {{1, 1, 8}, "permutation"},
                                             {{16, 16, 16}, "fill"}}) {
            const DetectedNetwork found = detected(ranks, speed);
            const Decision chosen = decision(found.network, found.placement);
            EXPECT_TRUE(chosen.at(smallest_block_on_unknown_wires - 1).native());
            EXPECT_EQ(chosen.at(smallest_block_on_unknown_wires), method(fmt::format("factor/{}+window:1", variant)));
            EXPECT_EQ(chosen.basis(), Decision::Basis::rule);
        }
    }
    const DetectedNetwork found = detected({3, 1, 2, 3});
    EXPECT_EQ(
        explain(found.placement, decision(found.network, found.placement)),
        "communicator of 9 ranks on 4 machines: native; from 1 bytes aggregate/carriers-all+window:all, if calls show "
        "that it is faster; from 4097 bytes native; from 32768 bytes factor/permutation+window:1 (detected, of the "
        "wires nothing is known; bound 18 messages at h0)");
}

TEST(Choice, OnlyCallsShowWhetherSmallBlocksAreBetterPutTogether) {
    const Method together = method("aggregate");
    const auto chosen = [&](const Network& network, const Placement& placement, const Forced& forced,
                            std::string_view mpi) {
        return decide(network, placement, network_bound(network, placement), forced, nullptr, mpi);
    };
    const DetectedNetwork found = detected({3, 1, 2, 3});
    EXPECT_EQ(chosen(found.network, found.placement, {}, "").at(64), together);
    EXPECT_EQ(chosen(found.network, found.placement, {}, "").at(4096), together);
    EXPECT_TRUE(chosen(found.network, found.placement, {}, "").at(4097).native());
    EXPECT_TRUE(chosen(found.network, found.placement, {}, "openmpi").at(64).native()) << "nobody learns";
    const Network network = two_switches(3, 1e7);
    EXPECT_TRUE(chosen(network, full_placement(network), {}, "").at(64).native()) << "one rank a machine";
    EXPECT_TRUE(chosen(network, {{0, 0, 1, 2, 3}}, {}, "").at(64).native()) << "hardly more";
    const Placement crowded{{0, 0, 0, 1, 2, 2, 2, 3}};
    EXPECT_EQ(chosen(network, crowded, {}, "").at(64), together);
    EXPECT_TRUE(chosen(network, crowded, {std::nullopt, Synchronisation::sender}, "").at(64).native());
    EXPECT_TRUE(chosen(network, crowded, {}, "mpich").at(64).native());
    EXPECT_FALSE(chosen(network, crowded, {}, "").at(1 << 24).native()) << "what goes by time comes after it";
}

TEST(Choice, ARuleEndsWhereAnMpiWasMeasuredToBeFaster) {
    const DetectedNetwork found = detected({3, 1, 2, 3});
    const Bound bound = network_bound(found.network, found.placement);
    const auto under = [&](const Forced& forced, std::string_view mpi) {
        return decide(found.network, found.placement, bound, forced, nullptr, mpi);
    };
    EXPECT_FALSE(always_native(under({}, "openmpi")));
    EXPECT_TRUE(always_native(under({}, "mpich")));
    EXPECT_THAT(under({}, "mpich").reason(), HasSubstr("mpich's own was the faster one where 'factor' was measured"));
    EXPECT_FALSE(always_native(under({std::nullopt, Synchronisation::none}, "mpich"))) << "what is forced is done";
    EXPECT_EQ(under({method("factor"), {}}, "mpich").at(1), method("factor"));
}

TEST(Choice, DetectedMachinesOfFewRanksAreLeftToTheMpi) {
    for (const std::vector<int>& ranks : {std::vector<int>{1, 1, 1, 1}, {2, 1, 1}, {3, 1, 1}, {1, 2}}) {
        const DetectedNetwork found = detected(ranks);
        const Decision chosen = decision(found.network, found.placement);
        EXPECT_TRUE(always_native(chosen));
        EXPECT_THAT(chosen.reason(), HasSubstr("detected: fewer than 2 ranks a machine"));
        EXPECT_EQ(decision(found.network, found.placement, {method("tree+sender"), {}}).at(1), method("tree+sender"))
            << "what is forced is done";
    }
    const DetectedNetwork alone = detected({8});
    EXPECT_THAT(decision(alone.network, alone.placement).reason(), HasSubstr("one machine"));
}

TEST(Choice, ATuningMadeUnderDetectionIsObeyed) {
    const DetectedNetwork found = detected({1, 1, 2});
    const Tuning tuning = tuning_for(found.network, found.placement, {{0, method("ring"), {}}});
    EXPECT_EQ(decision(found.network, found.placement, {}, &tuning).at(1), method("ring"));
    EXPECT_THAT(decision(found.network, found.placement, {}, &tuning).reason(), HasSubstr("detected"));
}

TEST(Choice, ThereIsNothingToScheduleForTwoRanksOrOnOneMachine) {
    const Network network = two_switches(2, 1e7);
    const auto reason = [&](const Placement& placement) {
        return nothing_to_schedule(placement, network_bound(network, placement));
    };
    EXPECT_TRUE(reason({{0, 1}}));
    EXPECT_TRUE(reason({{1}}));
    EXPECT_FALSE(reason({{1, 1, 1, 1}})) << "ranks can copy";
    EXPECT_FALSE(reason({{0, 0, 3}}));
}

TEST(Choice, ExplanationNamesSizesChoiceAndBound) {
    const Network network = two_switches(4, 1e7);
    EXPECT_EQ(explain(full_placement(network), decision(network, full_placement(network))),
              "communicator of 8 ranks on 8 machines: native; from 3338 bytes lattice/settled+timed "
              "(bound 16 messages on s1-s0 at 10 Mbit/s; worth a start of 3.3 ms from 42.7 ms of bound on)");
    EXPECT_EQ(explain({{1, 1, 1}}, decision(network, {{1, 1, 1}})),
              "communicator of 3 ranks on 1 machine: native; from 1 bytes aggregate/carriers-all+window:all, if calls "
              "show that it is faster (all ranks are on one machine and no message crosses a link)");
}

TEST(Choice, OnOneMachineCallsOrATuningShowWhetherCopiesAreFaster) {
    const Network network = two_switches(2, 1e7);
    const Method copies = method("aggregate");
    const auto chosen = [&](const Placement& placement, const Forced& forced, const Tuning* tuning,
                            std::string_view mpi) {
        return decide(network, placement, network_bound(network, placement), forced, tuning, mpi);
    };
    for (const Placement& placement : {Placement{{1, 1}}, Placement{{0, 0, 0}}, Placement{{3, 3, 3, 3, 3, 3, 3, 3}}}) {
        const Decision learned = chosen(placement, {}, nullptr, "");
        EXPECT_EQ(learned.basis(), Decision::Basis::rule);
        EXPECT_TRUE(learned.at(0).native());
        EXPECT_EQ(learned.at(1), copies);
        EXPECT_EQ(learned.at(largest_scheduled_block), copies);
        EXPECT_FALSE(depends_on_start(learned));
        EXPECT_TRUE(always_native(chosen(placement, {}, nullptr, "openmpi"))) << "nobody learns";
        EXPECT_TRUE(always_native(chosen(placement, {std::nullopt, Synchronisation::none}, nullptr, "")));
        EXPECT_TRUE(always_native(chosen(placement, {method("tree"), {}}, nullptr, ""))) << "nothing to schedule";
        EXPECT_EQ(chosen(placement, {copies, {}}, nullptr, "mpich").at(1), copies) << "what is forced is done";
        const Tuning tuning = tuning_for(network, placement, {{0, Method{}, {}}, {512, copies, {}}});
        EXPECT_TRUE(chosen(placement, {}, &tuning, "mpich").at(511).native());
        EXPECT_EQ(chosen(placement, {}, &tuning, "mpich").at(512), copies);
    }
    EXPECT_TRUE(always_native(chosen({{2}}, {copies, {}}, nullptr, "")));
}

TEST(Choice, ATuningIsObeyedRangeByRange) {
    const Network network = two_switches(4, 1e7);
    const Placement placement = full_placement(network);
    const Tuning tuning = tuning_for(network, placement,
                                     {{0, method("tree/merged+none"), {}},
                                      {64, Method{}, {}},
                                      {4096,
                                       method("tree/paper+sender-partial:2"),
                                       {{5000, 3, 2, {1.5, 1.4, 1.6}, 0, 9, {}}, {9000, 9, 3, {3, 2, 4}, 0, 9, {}}}},
                                      {10000, method("tree+timed:1448@0.95"), {{10000, 2, 1, {2, 2, 2}, 0, 9, {}}}}});
    const Decision chosen = decision(network, placement, {}, &tuning);
    EXPECT_EQ(chosen.basis(), Decision::Basis::tuning);
    EXPECT_TRUE(chosen.at(0).native()) << "an empty block is no message";
    EXPECT_EQ(chosen.at(1), method("tree/merged+none"));
    EXPECT_EQ(chosen.at(63), method("tree/merged+none"));
    EXPECT_TRUE(chosen.at(64).native());
    EXPECT_TRUE(chosen.at(4095).native());
    EXPECT_EQ(chosen.at(4096), method("tree/paper+sender-partial:2"));
    EXPECT_EQ(chosen.at(largest_scheduled_block), method("tree+timed:1448@0.95"));
    EXPECT_TRUE(chosen.at(largest_scheduled_block + 1).native());
    EXPECT_EQ(
        explain(placement, chosen),
        "communicator of 8 ranks on 8 machines: native; from 1 bytes tree/merged+none; from 64 bytes native; from "
        "4096 bytes tree/paper+sender-partial:2, 1.50 to 3.00 times as fast as native at 5000 to 9000 bytes; from "
        "10000 bytes tree/merged+timed:1448@0.95, 2.00 times as fast as native at 10000 bytes (tuned 2026-11-21; "
        "bound 16 messages on s1-s0 at 10 Mbit/s)");
}

TEST(Choice, ARangeOfTheTuningThatOnlyHoldsForEmptyBlocksIsLeftOut) {
    const Network network = two_switches(4, 1e7);
    const Placement placement = full_placement(network);
    const Tuning tuning =
        tuning_for(network, placement, {{0, method("tree/merged+none"), {}}, {1, method("tree/paper+none"), {}}});
    const Decision chosen = decision(network, placement, {}, &tuning);
    EXPECT_EQ(chosen.at(1), method("tree/paper+none"));
    EXPECT_EQ(chosen.ranges()[1].from_bytes, 1);
    EXPECT_EQ(chosen.ranges().size(), 3U);
}

TEST(Choice, TheUsersWordComesBeforeTheTuning) {
    const Network network = two_switches(4, 1e7);
    const Placement placement = full_placement(network);
    const Tuning tuning = tuning_for(network, placement, {{0, method("tree/paper+none"), {}}});
    EXPECT_TRUE(always_native(decision(network, placement, {method("native"), {}}, &tuning)));
    EXPECT_EQ(decision(network, placement, {method("tree/merged+barrier"), {}}, &tuning).at(100),
              method("tree/merged+barrier"));
    EXPECT_EQ(decision(network, placement, {std::nullopt, Synchronisation::receiver}, &tuning).at(65536),
              method("tree/merged+receiver"));
}

TEST(Choice, AnotherShapeThanTheTunedOneIsDecidedByRule) {
    const Network network = two_switches(4, 1e7);
    const Placement tuned = full_placement(network);
    const Tuning tuning = tuning_for(network, tuned, {{0, method("tree/paper+none"), {}}});
    Placement reversed = tuned;
    std::reverse(reversed.machine_of.begin(), reversed.machine_of.end());
    for (const Placement& other : {Placement{{0, 1, 2, 4}}, reversed}) {
        const Decision chosen = decision(network, other, {}, &tuning);
        EXPECT_EQ(chosen.basis(), Decision::Basis::rule);
        EXPECT_EQ(chosen.ranges().size(), decision(network, other).ranges().size());
        EXPECT_FALSE(chosen.at(65536).native());
        EXPECT_EQ(chosen.at(65536), decision(network, other).at(65536));
        EXPECT_THAT(explain(other, chosen), HasSubstr("the tuning is for 8 ranks placed otherwise; bound"));
    }
}

TEST(Choice, WhetherAMeasuredStartMatters) {
    const Network network = two_switches(4, 1e9, 1e9);
    const Placement placement = full_placement(network);
    EXPECT_TRUE(depends_on_start(decision(network, placement)));
    EXPECT_FALSE(depends_on_start(decision(network, placement, {method("tree"), {}})));
    EXPECT_FALSE(depends_on_start(decision(network, placement, {std::nullopt, Synchronisation::receiver})));
    const Tuning tuning = tuning_for(network, placement, {{0, method("tree/paper+none"), {}}});
    EXPECT_FALSE(depends_on_start(decision(network, placement, {}, &tuning)));
    EXPECT_FALSE(depends_on_start(decision(network, {{1, 1, 1}})));
    const DetectedNetwork found = detected({2, 2}, 1e10);
    EXPECT_FALSE(depends_on_start(decision(found.network, found.placement)));
}

}  // namespace
}  // namespace aapc::selection
