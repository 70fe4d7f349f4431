// Topology files of kind "clusters": what they become, and every mistake with its place.
#include "aapc/topology/clusters.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "aapc/input/units.hpp"
#include "aapc/topology/bound.hpp"
#include "aapc/topology/network_digest.hpp"
#include "aapc/topology/topology_file.hpp"

namespace aapc {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Network read_clusters(const std::string& text) {
    Expected<Network> network = read_topology(text, "test.toml");
    EXPECT_TRUE(network) << to_string(network.error());
    return network ? std::move(*network) : Network(NetworkKind::clusters, {}, {}, {});
}

/// "a0-nancy@1000M nancy-wide-area@10000M+2.5ms": every link in order, with its speed and its latency.
std::string links_and_latencies(const Network& network) {
    std::string text;
    for (const Link& link : network.links()) {
        const auto name = [&](Vertex vertex) { return network.vertices()[static_cast<std::size_t>(vertex)].name; };
        text += fmt::format("{}{}-{}@{}M", text.empty() ? "" : " ", name(link.lower), name(link.upper),
                            link.bits_per_second / 1e6);
        if (link.latency_seconds > 0) {
            text += fmt::format("+{:.6g}ms", link.latency_seconds * 1e3);
        }
    }
    return text;
}

std::vector<std::string> machine_names(const Network& network) {
    std::vector<std::string> names;
    names.reserve(network.machines().size());
    for (Machine machine = 0; machine < static_cast<Machine>(network.machines().size()); ++machine) {
        names.push_back(network.machine_name(machine));
    }
    return names;
}

/// The smallest file there is.
const std::string two_clusters = R"([network]
kind = "clusters"
[[cluster]]
name = "nancy"
machines = "a[0-2]"
[[cluster]]
name = "rennes"
machines = "b[0-1]"
[wide_area]
speed = "10Gbit"
latency = "5ms"
)";

TEST(Clusters, TwoOfThem) {
    const Network network = read_clusters(two_clusters);
    EXPECT_EQ(network.kind(), NetworkKind::clusters);
    EXPECT_TRUE(is_tree(network.kind()));
    EXPECT_EQ(links_and_latencies(network),
              "nancy-wide-area@10000M+2.5ms a0-nancy@10000M a1-nancy@10000M a2-nancy@10000M "
              "rennes-wide-area@10000M+2.5ms b0-rennes@10000M b1-rennes@10000M");
    EXPECT_THAT(machine_names(network), ElementsAre("a0", "a1", "a2", "b0", "b1"));
    const Clusters clusters = find_clusters(network);
    EXPECT_THAT(clusters.switch_of, ElementsAre(1, 2));
    EXPECT_THAT(clusters.cluster_of, ElementsAre(0, 0, 0, 1, 1));
    EXPECT_THAT(clusters.machines_of, ElementsAre(3, 2));
    EXPECT_DOUBLE_EQ(wide_area_latency_seconds(network, 0, 1), 5e-3);
}

TEST(Clusters, TheBoundCountsTheWideArea) {
    const Bound bound = tree_bound(read_clusters(two_clusters), full_placement(read_clusters(two_clusters)));
    EXPECT_EQ(bound.messages, 6);
    EXPECT_EQ(bound.links.front().messages, 6);
}

TEST(Clusters, WithSwitchesBelowThemAndEverySpeed) {
    const Network network = read_clusters(R"([wide_area]
name = "internet"
speed = "1Gbit"
latency = "20 ms"
[[switch]]
name = "rack"
uplink = "c"
speed = "40Mbit"
machines = "r[0-1]:2"
[[cluster]]
name = "c"
machine_speed = "30Mbit"
machines = ["m"]
[[switch]]
name = "shelf"
uplink = "rack"
machine_speed = "50Mbit"
machines = "s"
[[cluster]]
name = "d"
speed = "20Mbit"
machines = "x"
[network]
kind = "clusters"
speed = "10Mbit"
)");
    EXPECT_EQ(links_and_latencies(network),
              "rack-c@40M r0-rack@10M r1-rack@10M c-internet@1000M+10ms m-c@30M shelf-rack@10M s-shelf@50M "
              "d-internet@20M+10ms x-d@10M");
    EXPECT_THAT(machine_names(network), ElementsAre("r0", "r1", "m", "s", "x")) << "in the order of the file";
    const Clusters clusters = find_clusters(network);
    EXPECT_THAT(clusters.cluster_of, ElementsAre(0, 0, 0, 0, 1));
    EXPECT_THAT(clusters.machines_of, ElementsAre(4, 1));
    // Ranks 0 and 1 on r0, 2 and 3 on r1, then m, s, x.
    EXPECT_THAT(ranks_by_cluster(network, full_placement(network)),
                ElementsAre(ElementsAre(0, 1, 2, 3, 4, 5), ElementsAre(6)));
    EXPECT_THAT(ranks_by_cluster(network, Placement{{4, 4, 4}}), ElementsAre(ElementsAre(0, 1, 2)));
    EXPECT_THAT(ranks_by_cluster(network, Placement{{4, 0, 4, 3}}), ElementsAre(ElementsAre(1, 3), ElementsAre(0, 2)));
}

TEST(Clusters, TheWideAreaMayGoWithoutItsTable) {
    EXPECT_EQ(links_and_latencies(read_clusters(
                  "network = {kind = 'clusters', speed = '1Mbit'}\n[[cluster]]\nname = 'c'\nmachines = 'a'\n")),
              "c-wide-area@1M a-c@1M");
}

TEST(Clusters, TheDigestSeesTheLatency) {
    std::string faster = two_clusters;
    faster.replace(faster.find("5ms"), 3, "4ms");
    EXPECT_NE(network_digest(read_clusters(two_clusters)), network_digest(read_clusters(faster)));
    std::string same = two_clusters;
    same.replace(same.find("5ms"), 3, "5000us");
    EXPECT_EQ(network_digest(read_clusters(two_clusters)), network_digest(read_clusters(same)));
}

struct ClustersCase {
    const char* title;
    std::string text;
    int line;
    int column;
    std::string problem;
    std::string advice;
};

void PrintTo(const ClustersCase& mistake, std::ostream* stream) { *stream << mistake.title; }

class ClustersMistake : public testing::TestWithParam<ClustersCase> {};

TEST_P(ClustersMistake, IsAnsweredWithItsPlace) {
    const ClustersCase& mistake = GetParam();
    const auto network = read_topology(mistake.text, "file.toml");
    ASSERT_FALSE(network) << mistake.text;
    const std::string message = to_string(network.error());
    EXPECT_EQ(network.error().file, "file.toml");
    EXPECT_EQ(network.error().line, mistake.line) << message;
    EXPECT_EQ(network.error().column, mistake.column) << message;
    EXPECT_THAT(network.error().problem, HasSubstr(mistake.problem));
    EXPECT_THAT(network.error().advice, HasSubstr(mistake.advice));
    EXPECT_FALSE(network.error().advice.empty()) << message;
}

/// What follows starts in line 4.
const std::string head = "[network]\nkind = 'clusters'\nspeed = '1Gbit'\n";
/// What follows starts in line 7.
const std::string one = head + "[[cluster]]\nname = 'c'\nmachines = 'a'\n";

const ClustersCase clusters_mistakes[] = {
    {"NoCluster", head, 1, 1, "no cluster", "[[cluster]]"},
    {"NoClusterInTheArray", "cluster = []\n" + head, 1, 11, "no cluster", "[[cluster]]"},
    {"ClusterInSingleBrackets", head + "[cluster]\nname = 'c'\n", 4, 1, "cluster is a table", "double brackets"},
    {"ClustersInSingleBrackets", head + "[cluster]\nname = 'c'\n[cluster]\nname = 'd'\n", 6, 1, "cannot redefine",
     "[[cluster]]"},
    {"ClusterIsAString", "cluster = ['c']\n" + head, 1, 12, "a cluster is a string", "[[cluster]]"},
    {"WideAreaInDoubleBrackets", one + "[[wide_area]]\nspeed = '1Gbit'\n", 7, 1, "wide_area is an array",
     "single brackets"},
    {"UnknownTable", one + "[wide-area]\n", 7, 2, "unknown key 'wide-area'", "did you mean 'wide_area'"},
    {"UnknownKeyOfNetwork", "[network]\nkind = 'clusters'\nlatency = '5ms'\n", 3, 1, "'latency' in [network]", ""},
    {"UnknownKeyOfACluster", head + "[[cluster]]\nname = 'c'\nmachine = 'a'\n", 6, 1, "'machine' in [[cluster]]",
     "did you mean 'machines'"},
    {"AClusterHasNoUplink", head + "[[cluster]]\nname = 'c'\nuplink = 'x'\n", 6, 1, "'uplink' in [[cluster]]", ""},
    {"UnknownKeyOfTheWideArea", one + "[wide_area]\nlatancy = '1ms'\n", 8, 1, "'latancy' in [wide_area]",
     "did you mean 'latency'"},
    {"LatencyIsANumber", one + "[wide_area]\nlatency = 5\n", 8, 11, "latency is an integer", "5ms"},
    {"LatencyWithoutUnit", one + "[wide_area]\nlatency = '5'\n", 8, 11, "no unit", "ms"},
    {"LatencyOfUnknownUnit", one + "[wide_area]\nlatency = '5 min'\n", 8, 11, "unknown unit, 'min'", "ms"},
    {"LatencyNegative", one + "[wide_area]\nlatency = '-5ms'\n", 8, 11, "less than 0", ""},
    {"SpeedOfTheWideArea", one + "[wide_area]\nspeed = '10GB'\n", 8, 9, "'10GB' is not a speed", ""},
    {"NoSpeedAnywhere", "[network]\nkind = 'clusters'\n[[cluster]]\nname = 'c'\nmachines = 'a'\n", 1, 1,
     "the wide area has no speed", "[wide_area]"},
    {"NoSpeedOfTheWideArea",
     "[network]\nkind = 'clusters'\n[[cluster]]\nname = 'c'\nmachines = 'a'\n[wide_area]\nlatency = '1ms'\n", 6, 1,
     "the wide area has no speed", "[wide_area]"},
    {"ClusterWithoutName", head + "[[cluster]]\nmachines = 'a'\n", 4, 1, "a cluster without a name", "name ="},
    {"NameOfTheWideArea", one + "[wide_area]\nname = 'a b'\n", 8, 10, "a space", ""},
    {"ClusterTwice", one + "[[cluster]]\nname = 'c'\n", 8, 8, "a second cluster 'c' (the first is in line 5, column 8)",
     "every cluster its own name"},
    {"ClusterNamedAsTheWideArea", head + "[wide_area]\n[[cluster]]\nname = 'wide-area'\nmachines = 'a'\n", 6, 8,
     "a second cluster 'wide-area' (the first is in line 4", "own name"},
    {"MachineNamedAsTheWideArea", one + "[[cluster]]\nname = 'd'\nmachines = 'wide-area'\n", 9, 13,
     "a wide area and of a machine", "another name"},
    {"MachineInTwoClusters", one + "[[cluster]]\nname = 'd'\nmachines = 'b,a'\n", 9, 15, "machine 'a' is listed twice",
     ""},
    {"NoMachines", head + "[[cluster]]\nname = 'c'\n", 1, 1, "has a machine", "machines ="},
    {"HostlistReversed", head + "[[cluster]]\nname = 'c'\nmachines = 'a[3-0]'\n", 6, 15, "runs backwards", ""},
    {"SwitchWithoutUplink", one + "[[switch]]\nname = 's'\nmachines = 'b'\n", 7, 1, "a switch of no cluster",
     "uplink ="},
    {"SwitchInTheWideArea", one + "[[switch]]\nname = 's'\nuplink = 'wide-area'\nmachines = 'b'\n", 9, 10,
     "is the wide area", "[[cluster]]"},
    {"UplinkUnknown", one + "[[switch]]\nname = 's'\nuplink = 'rack'\n", 9, 10, "uplink 'rack' is not a switch", ""},
    {"CycleBelowNoCluster", one + "[[switch]]\nname = 's'\nuplink = 't'\n[[switch]]\nname = 't'\nuplink = 's'\n", 9, 10,
     "switch 's' is its own uplink", ""},
};
INSTANTIATE_TEST_SUITE_P(Files, ClustersMistake, testing::ValuesIn(clusters_mistakes),
                         [](const auto& instance) { return instance.param.title; });

TEST(Duration, Valid) {
    const std::pair<const char*, double> cases[] = {
        {"5ms", 5e-3}, {"0.2 s", 0.2}, {"80us", 80e-6}, {"300ns", 300e-9}, {"0ms", 0}, {"3600s", 3600}, {".5s", 0.5},
    };
    for (const auto& [text, expected] : cases) {
        const auto seconds = parse_duration(text);
        ASSERT_TRUE(seconds) << text << ": " << seconds.error().problem;
        EXPECT_DOUBLE_EQ(*seconds, expected) << text;
    }
}

TEST(Duration, Invalid) {
    const std::pair<const char*, const char*> cases[] = {
        {"", "does not start with a number"},
        {"ms", "does not start with a number"},
        {"-1ms", "less than 0"},
        {"5", "no unit"},
        {"5MS", "unknown unit"},
        {"5m", "unknown unit"},
        {"1.2.3s", "cannot be read"},
        {"3601s", "more than an hour"},
    };
    for (const auto& [text, message] : cases) {
        const auto seconds = parse_duration(text);
        ASSERT_FALSE(seconds) << text;
        EXPECT_THAT(seconds.error().problem, HasSubstr(message)) << text;
        EXPECT_FALSE(seconds.error().advice.empty()) << text;
    }
}

}  // namespace
}  // namespace aapc
