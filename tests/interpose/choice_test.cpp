#include "interpose/choice.hpp"

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace aapc::interpose {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// Two switches with `machines` machines each, ports of 1 Gbit/s, and a trunk.
Network two_switches(int machines, double trunk_bits_per_second) {
    std::vector<NetworkVertex> vertices = {{"s0", true}, {"s1", true}};
    std::vector<Link> links = {{1, 0, trunk_bits_per_second}};
    std::vector<NetworkMachine> runs;
    for (int machine = 0; machine < 2 * machines; ++machine) {
        const auto vertex = static_cast<Vertex>(vertices.size());
        vertices.push_back({"n" + std::to_string(machine), false});
        links.push_back({vertex, machine < machines ? 0 : 1, 1e9});
        runs.push_back({vertex, 1});
    }
    return {NetworkKind::tree, vertices, links, runs};
}

Decision decision(const Network& network, const Demand& demand, const Forced& forced = {}) {
    return decide(network, demand, tree_bound(network, demand), forced);
}

const Algorithm* tree() { return find_algorithm("tree").value(); }

bool always_native(const Decision& decision) {
    return decision.ranges().size() == 1 && decision.ranges().front().from_bytes == 0 &&
           decision.ranges().front().choice.native();
}

TEST(Choice, TreeAndTimedFromTheSmallestBlockOnByItself) {
    const Network network = two_switches(4, 1e9);
    const Decision chosen = decision(network, full_demand(network));
    const Choice expected{tree(), "merged", Synchronisation::timed};
    EXPECT_EQ(chosen.at(smallest_scheduled_block), expected);
    EXPECT_EQ(chosen.at(largest_scheduled_block), expected);
    EXPECT_TRUE(chosen.at(0).native());
    EXPECT_TRUE(chosen.at(smallest_scheduled_block - 1).native());
    EXPECT_TRUE(chosen.at(largest_scheduled_block + 1).native());
}

TEST(Choice, RangesAscendFromZeroWhateverIsForced) {
    const Network network = two_switches(2, 1e9);
    for (const Forced& forced : {Forced{}, Forced{true, nullptr, "", {}}, Forced{false, tree(), "paper", {}}}) {
        const auto ranges = decision(network, full_demand(network), forced).ranges();
        ASSERT_FALSE(ranges.empty());
        EXPECT_EQ(ranges.front().from_bytes, 0);
        for (std::size_t range = 1; range < ranges.size(); ++range) {
            EXPECT_LT(ranges[range - 1].from_bytes, ranges[range].from_bytes);
        }
    }
}

TEST(Choice, NativeForFewerThanThreeRanksEvenIfForced) {
    const Network network = two_switches(2, 1e9);
    for (const std::vector<Machine>& machines : {std::vector<Machine>{}, {1}, {0, 3}}) {
        const Decision chosen = decision(network, {machines}, {false, tree(), "", Synchronisation::sender});
        EXPECT_TRUE(always_native(chosen));
        EXPECT_THAT(chosen.reason(), HasSubstr("three ranks"));
    }
}

TEST(Choice, NativeOnOneMachine) {
    const Network network = two_switches(2, 1e9);
    const Decision chosen = decision(network, {{2, 2, 2, 2}});
    EXPECT_TRUE(always_native(chosen));
    EXPECT_THAT(chosen.reason(), HasSubstr("one machine"));
}

TEST(Choice, TwoMachinesWithSeveralRanksAreScheduled) {
    const Network network = two_switches(2, 1e9);
    EXPECT_FALSE(decision(network, {{0, 0, 3, 3}}).at(8192).native());
}

TEST(Choice, ForcedNative) {
    const Network network = two_switches(4, 1e9);
    const Decision chosen = decision(network, full_demand(network), {true, nullptr, "", Synchronisation::sender});
    EXPECT_TRUE(always_native(chosen));
    EXPECT_THAT(chosen.reason(), HasSubstr("AAPC_ALGORITHM"));
}

TEST(Choice, ForcedAlgorithmTakesEveryBlockButTheEmptyOne) {
    const Network network = two_switches(4, 1e9);
    const Decision chosen = decision(network, full_demand(network), {false, tree(), "paper", {}});
    EXPECT_TRUE(chosen.at(0).native());
    EXPECT_EQ(chosen.at(1), (Choice{tree(), "paper", Synchronisation::timed}));
}

TEST(Choice, ForcedSynchronisationLeavesTheSizeRule) {
    const Network network = two_switches(4, 1e9);
    const Decision chosen = decision(network, full_demand(network), {false, nullptr, "", Synchronisation::receiver});
    EXPECT_TRUE(chosen.at(smallest_scheduled_block - 1).native());
    EXPECT_EQ(chosen.at(smallest_scheduled_block), (Choice{tree(), "merged", Synchronisation::receiver}));
}

TEST(Choice, NativeWhereEqualPhasesWasteAFastTrunk) {
    // 4+4: 16 messages over the trunk, 7 through a port. Equal phases take 16 port times; the links need 7.
    const Network fast = two_switches(4, 1e10);
    const Decision chosen = decision(fast, full_demand(fast));
    EXPECT_TRUE(always_native(chosen));
    EXPECT_THAT(chosen.reason(), AllOf(HasSubstr("trunks are faster"), HasSubstr("2.3 times")));
    EXPECT_FALSE(decision(fast, full_demand(fast), {false, tree(), "", {}}).at(8192).native());
    // 2+2: 4 over the trunk, 3 through a port: a third more, just above what is tolerated.
    const Network small = two_switches(2, 1e10);
    EXPECT_TRUE(always_native(decision(small, full_demand(small))));
    // A trunk only little faster than the ports is worth no such step.
    const Network nearly = two_switches(4, 1.2e9);
    EXPECT_FALSE(always_native(decision(nearly, full_demand(nearly))));
}

TEST(Choice, ExplanationNamesSizesChoiceAndBound) {
    const Network network = two_switches(4, 1e9);
    EXPECT_EQ(explain(full_demand(network), decision(network, full_demand(network))),
              "communicator of 8 ranks on 8 machines: tree/merged, timed, for messages of 8192 bytes and more "
              "(bound 16 messages on s1-s0 at 1 Gbit/s); the MPI's own below");
    EXPECT_EQ(explain({{1, 1, 1}}, decision(network, {{1, 1, 1}})),
              "communicator of 3 ranks on 1 machine: the MPI's own MPI_Alltoall: all ranks are on one machine and no "
              "message crosses a link");
}

}  // namespace
}  // namespace aapc::interpose
