#include "aapc/topology/detection.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>
#include <vector>

#include "aapc/algorithms/algorithm.hpp"
#include "aapc/archive/tuning.hpp"
#include "aapc/check/schedule.hpp"
#include "aapc/input/hostlist.hpp"
#include "aapc/offline/tabulate.hpp"
#include "aapc/topology/bound.hpp"
#include "aapc/topology/network_digest.hpp"
#include "aapc/topology/topology_file.hpp"

namespace aapc {
namespace {

using testing::Each;
using testing::ElementsAre;

std::vector<std::string> names_of(const Network& network) {
    std::vector<std::string> names;
    for (Machine machine = 0; machine < static_cast<Machine>(network.machines().size()); ++machine) {
        names.push_back(network.machine_name(machine));
    }
    return names;
}

TEST(Detection, IsAskedForByAWordThatMayGiveTheSpeed) {
    EXPECT_TRUE(asks_for_detection("detect"));
    EXPECT_TRUE(asks_for_detection("detect:10Gbit"));
    EXPECT_TRUE(asks_for_detection("detect:"));
    for (const char* file : {"", "detec", "detect.toml", "detection", "./detect", "Detect", "x/detect"}) {
        EXPECT_FALSE(asks_for_detection(file)) << file;
    }
    EXPECT_EQ(detection_speed("detect").value(), 0);
    EXPECT_EQ(detection_speed("detect:10Gbit").value(), 1e10);
    for (const char* wrong : {"detect:", "detect:0", "detect:fast", "detect:10"}) {
        EXPECT_FALSE(detection_speed(wrong)) << wrong;
    }
}

TEST(Detection, NumbersMachinesByTheirLowestRanks) {
    // Ranks 0, 3 and 4 share a machine, 1 and 5 another one, 2 is alone.
    const DetectedNetwork found = detect_network({{0, "b"}, {1, "a"}, {2, "c"}, {0, "b"}, {0, "b"}, {1, "a"}}, 1e9);
    EXPECT_EQ(found.network.kind(), NetworkKind::detected);
    EXPECT_THAT(names_of(found.network), ElementsAre("b", "a", "c"));
    EXPECT_THAT(found.placement.machine_of, ElementsAre(0, 1, 2, 0, 0, 1));
    EXPECT_EQ(found.network.machines()[0].ranks, 3);
    EXPECT_EQ(found.network.machines()[1].ranks, 2);
    EXPECT_EQ(found.network.machines()[2].ranks, 1);
    ASSERT_EQ(found.network.links().size(), 3U);
    for (const Link& link : found.network.links()) {
        EXPECT_EQ(link.upper, 0) << "one switch";
        EXPECT_EQ(link.bits_per_second, 1e9);
    }
    EXPECT_TRUE(found.network.vertices()[0].is_switch);
}

TEST(Detection, SharedMemoryAndTheHostsNameBothCount) {
    // Containers of one name on two hosts, and two containers that an MPI takes for one host.
    const DetectedNetwork found = detect_network({{0, "box"}, {1, "box"}, {0, "box"}, {0, "other"}, {1, "box"}}, 0);
    EXPECT_THAT(found.placement.machine_of, ElementsAre(0, 1, 0, 2, 1));
    EXPECT_THAT(names_of(found.network), ElementsAre("box", "box-2", "other"));
}

TEST(Detection, NamesAreDifferentAndFitForTopologyFilesAndPlacements) {
    const std::string endless(1000, 'x');
    const DetectedNetwork found = detect_network({{0, "a b"},
                                                  {1, "a-b"},
                                                  {2, "a-b-2"},
                                                  {3, ""},
                                                  {4, "_x"},
                                                  {5, endless},
                                                  {6, endless},
                                                  {7, "n[0-3]:2,\n"},
                                                  {8, "node7.cluster.example"}},
                                                 0);
    const std::vector<std::string> names = names_of(found.network);
    EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), 9U);
    EXPECT_EQ(names[0], "a-b");
    EXPECT_EQ(names[8], "node7.cluster.example");
    const auto expanded = expand_hostlist(compact_hostlist(names));
    ASSERT_TRUE(expanded) << to_string(expanded.error());
    std::vector<std::string> read_back;
    for (const HostlistEntry& entry : *expanded) {
        read_back.push_back(entry.name);
    }
    EXPECT_EQ(read_back, names);
}

TEST(Detection, WithoutASpeedTheBoundCountsMessagesOnly) {
    const DetectedNetwork found = detect_network({{0, "a"}, {1, "b"}, {1, "b"}, {1, "b"}, {4, "c"}}, 0);
    const Bound bound = network_bound(found.network, found.placement);
    EXPECT_EQ(bound.messages, 6) << "3 ranks to 2 others";
    EXPECT_EQ(bound.seconds_per_byte, 0);
    EXPECT_EQ(bound.slowest_bits_per_second, 0);
    ASSERT_EQ(bound.links.size(), 3U);
    EXPECT_EQ(found.network.links()[static_cast<std::size_t>(bound.links.front().link)].lower, 2)
        << "the busiest comes first";
    const DetectedNetwork known = detect_network({{0, "a"}, {1, "b"}, {1, "b"}, {1, "b"}, {4, "c"}}, 8e9);
    EXPECT_DOUBLE_EQ(network_bound(known.network, known.placement).seconds_per_byte, 6e-9);
}

TEST(Detection, TheDigestTellsWhatWasDetected) {
    const std::vector<RankPlace> places = {{0, "a"}, {0, "a"}, {2, "b"}};
    const std::string digest = network_digest(detect_network(places, 0).network);
    EXPECT_EQ(network_digest(detect_network(places, 0).network), digest);
    EXPECT_NE(network_digest(detect_network(places, 1e9).network), digest);
    EXPECT_NE(network_digest(detect_network({{0, "a"}, {0, "a"}, {2, "c"}}, 0).network), digest);
    EXPECT_NE(network_digest(detect_network({{0, "a"}, {1, "b"}, {0, "a"}}, 1e9).network), digest);
    const auto described = read_topology(
        "[network]\nspeed = \"1Gbit\"\n[[switch]]\nname = \"network\"\nmachines = [\"a:2\", \"b\"]\n", "x.toml");
    EXPECT_NE(network_digest(detect_network(places, 1e9).network), network_digest(described.value()))
        << "a switch that somebody described is another thing than one that is made up";
}

TEST(Detection, EveryAlgorithmForTreesHasACheckedScheduleThere) {
    for (unsigned seed = 1; seed <= 40; ++seed) {
        std::mt19937 random(seed);
        const int machines = std::uniform_int_distribution(1, 5)(random);
        std::vector<RankPlace> places;
        std::vector<Rank> lowest(static_cast<std::size_t>(machines), -1);
        for (Rank rank = 0; rank < 12; ++rank) {
            const auto machine = static_cast<std::size_t>(std::uniform_int_distribution(0, machines - 1)(random));
            lowest[machine] = lowest[machine] < 0 ? rank : lowest[machine];
            places.push_back({lowest[machine], "h" + std::to_string(machine)});
        }
        const DetectedNetwork found = detect_network(places, 0);
        for (const Algorithm& algorithm : algorithms()) {
            if (!algorithm.is_for(NetworkKind::tree)) {
                EXPECT_FALSE(algorithm.is_for(NetworkKind::detected)) << algorithm.name;
                continue;
            }
            const auto timetable = build_timetable(algorithm, "", found.network, found.placement);
            ASSERT_TRUE(timetable) << algorithm.name << ", seed " << seed << ": " << to_string(timetable.error());
            EXPECT_TRUE(schedule_of_timetable(
                **timetable, std::string(algorithm.name), std::string(algorithm.variants.front()),
                network_bound(found.network, found.placement).messages, found.network, found.placement))
                << algorithm.name << ", seed " << seed;
        }
    }
}

}  // namespace
}  // namespace aapc
