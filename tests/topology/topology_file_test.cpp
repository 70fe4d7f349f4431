#include "aapc/topology/topology_file.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "aapc/input/hostlist.hpp"
#include "aapc/topology/bound.hpp"
#include "aapc/topology/placement.hpp"
#include "support/networks.hpp"
#include "topology/files.hpp"

namespace {

using aapc::Expected;
using aapc::full_placement;
using aapc::Link;
using aapc::Network;
using aapc::network_bound;
using aapc::NetworkMachine;
using aapc::read_topology;
using aapc::read_topology_file;
using aapc::test::contents;

Network read(const std::string& text) {
    Expected<Network> network = read_topology(text, "test.toml");
    EXPECT_TRUE(network) << to_string(network.error());
    return network ? std::move(*network) : Network(aapc::NetworkKind::tree, {}, {}, {});
}

/// "n0-s0@100M s1-s0@1000M": every link in order, with its speed in Mbit.
std::string links(const Network& network) {
    std::string text;
    for (const Link& link : network.links()) {
        const auto name = [&](aapc::Vertex vertex) {
            return network.vertices()[static_cast<std::size_t>(vertex)].name;
        };
        text += fmt::format("{}{}-{}@{}M", text.empty() ? "" : " ", name(link.lower), name(link.upper),
                            link.bits_per_second / 1e6);
    }
    return text;
}

std::string machines(const Network& network) {
    std::string text;
    for (const NetworkMachine& machine : network.machines()) {
        text += fmt::format("{}{}:{}", text.empty() ? "" : " ",
                            network.vertices()[static_cast<std::size_t>(machine.vertex)].name, machine.ranks);
    }
    return text;
}

constexpr const char* everything_links =
    "n0-s0@100M n1-s0@100M n2-s0@100M n3-s0@100M n4-s0@100M n5-s0@100M n6-s0@100M n7-s0@100M s1-s0@1000M "
    "r1n08-s1@2500M r1n09-s1@2500M r1n10-s1@2500M r1n11-s1@2500M r2n08-s1@2500M r2n09-s1@2500M r2n10-s1@2500M "
    "r2n11-s1@2500M x.cluster.example-s1@2500M s2-s1@100M y-1_a-s2@100M z3-s2@100M z5-s2@100M z6-s2@100M";

TEST(TopologyFile, EveryPartOfTheFormat) {
    const Network network = read(aapc::test::everything);
    EXPECT_EQ(network.kind(), aapc::NetworkKind::tree);
    EXPECT_EQ(links(network), everything_links);
    EXPECT_EQ(machines(network),
              "n0:1 n1:1 n2:1 n3:1 n4:1 n5:1 n6:1 n7:1 r1n08:2 r1n09:2 r1n10:2 r1n11:2 r2n08:2 r2n09:2 r2n10:2 r2n11:2 "
              "x.cluster.example:1 y-1_a:1 z3:1 z5:1 z6:1");
    ASSERT_EQ(network.vertices().size(), 24U);
    for (std::size_t vertex = 0; vertex < 24; ++vertex) {
        EXPECT_EQ(network.vertices()[vertex].is_switch, vertex < 3) << "switches come first";
    }
}

TEST(TopologyFile, LineEndsAndByteOrderMarkDoNotMatter) {
    std::string text(aapc::test::everything);
    EXPECT_EQ(links(read("\xef\xbb\xbf" + text)), everything_links);
    for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 2)) {
        text.insert(at, "\r");
    }
    EXPECT_EQ(links(read(text)), everything_links);
}

TEST(TopologyFile, OrderOfTablesAndUplinksIsFree) {
    EXPECT_EQ(links(read("[[switch]]\nuplink = 's1'\nmachines = 'b'\nname = 's0'\n[[switch]]\nname = 's1'\n"
                         "machines = 'a'\n[network]\nspeed = '1Mbit'\n")),
              "s0-s1@1M b-s0@1M a-s1@1M");
    EXPECT_EQ(links(read("switch = [{name = 's', machines = ['b', 'a']}]\nnetwork = {speed = '1Mbit'}\n")),
              "b-s@1M a-s@1M");
}

TEST(TopologyFile, DefaultSpeedMayBeMissingWhereEveryLinkHasItsOwn) {
    EXPECT_EQ(links(read("[[switch]]\nname = 'a'\n[[switch]]\nname = 'b'\nuplink = 'a'\nspeed = '2Mbit'\n"
                         "machine_speed = '1Mbit'\nmachines = 'n[0-1]'\n")),
              "b-a@2M n0-b@1M n1-b@1M");
}

TEST(TopologyFile, SwitchesWithoutMachinesAreFine) {
    EXPECT_EQ(links(read("[network]\nspeed = '1Mbit'\n[[switch]]\nname = 'a'\nmachines = []\n[[switch]]\nname = 'b'\n"
                         "uplink = 'a'\n[[switch]]\nname = 'c'\nuplink = 'b'\nmachines = 'n'\n")),
              "b-a@1M c-b@1M n-c@1M");
}

TEST(TopologyFile, ColumnsAreThoseOfTheSecondMachineToo) {
    const auto network = read_topology("[[switch]]\nname = 's'\nmachines = 'n[0-3],m,n2'", "f");
    ASSERT_FALSE(network);
    EXPECT_EQ(network.error().line, 3);
    EXPECT_EQ(network.error().column, 22);
}

struct Example {
    const char* file;
    std::size_t switches;
    std::size_t machines;
    int ranks;
    std::int64_t bound;
};

TEST(TopologyFile, Examples) {
    const Example examples[] = {
        {"chain-4x4.toml", 4, 16, 16, 64},
        {"clusters-3+7.toml", 3, 10, 10, 21},
        {"faraj-yuan-2005-figure-1.toml", 4, 6, 6, 9},
        {"faraj-yuan-2007-figure-1.toml", 6, 5, 5, 6},
        {"leaf-spine.toml", 6, 16, 16, 24},
        {"star-4+3x4.toml", 4, 16, 16, 48},
        {"switch-16.toml", 1, 16, 16, 15},
        {"torus-8x8.toml", 0, 64, 64, 64},
        {"uneven-nodes.toml", 3, 8, 22, 112},
    };
    EXPECT_EQ(aapc::test::example_files().size(), std::size(examples)) << "an example is not tested";
    for (const auto& [file, switches, machine_count, ranks, bound] : examples) {
        const auto network = read_topology_file(std::string(AAPC_SOURCE_DIRECTORY "/examples/") + file);
        ASSERT_TRUE(network) << to_string(network.error());
        EXPECT_EQ(network->machines().size(), machine_count) << file;
        EXPECT_EQ(network->vertices().size(), switches + machine_count) << file;
        EXPECT_EQ(full_placement(*network).participants(), ranks) << file;
        EXPECT_EQ(network_bound(*network, full_placement(*network)).messages, bound) << file;
    }
}

TEST(TopologyFile, FiguresOfThePapersAreWiredAsThePapersSay) {
    const auto figure = [](const std::string& year) {
        return links(*read_topology_file(AAPC_SOURCE_DIRECTORY "/examples/faraj-yuan-" + year + "-figure-1.toml"));
    };
    EXPECT_EQ(figure("2005"),
              "s0-s1@100M n0-s0@100M n1-s0@100M s2-s0@100M n2-s2@100M s3-s1@100M n3-s3@100M n4-s3@100M n5-s1@100M");
    EXPECT_EQ(figure("2007"),
              "s0-s1@100M n0-s0@100M s4-s0@100M n1-s4@100M s1-s2@100M s2-s3@100M n2-s3@100M s5-s3@100M n3-s5@100M "
              "n4-s5@100M");
}

TEST(TopologyFile, ATorusIsRowsAndColumnsOfRings) {
    const Network network =
        read("[network]\nkind = 'torus'\nspeed = '1Mbit'\nsides = [2, 3]\nmachines = 'a:2,t[0-4]'\n");
    EXPECT_EQ(network.kind(), aapc::NetworkKind::torus);
    EXPECT_EQ(machines(network), "a:2 t0:1 t1:1 t2:1 t3:1 t4:1");
    EXPECT_EQ(links(network), "a-t2@1M a-t0@1M t0-t3@1M t0-t1@1M t1-t4@1M t1-a@1M t2-t3@1M t3-t4@1M t4-t2@1M")
        << "a side of 2 has one link, not two";
    EXPECT_EQ(links(read("[network]\nkind = 'torus'\nspeed = '1Mbit'\nsides = [1]\nmachines = 't'\n")), "");
    EXPECT_EQ(links(read("[network]\nkind = 'torus'\nspeed = '1Mbit'\nsides = [1, 1, 4]\nmachines = 't[0-3]'\n")),
              "t0-t1@1M t1-t2@1M t2-t3@1M t3-t0@1M");
}

TEST(TopologyFile, RandomTreesRoundTrip) {
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        const aapc::test::TreeBuilder tree = aapc::test::random_tree(seed, 1, 40);
        const Network network = read(tree.toml());
        EXPECT_EQ(links(network), links(tree.build())) << "seed " << seed;
    }
}

/// As large as is allowed: a chain of switches, written from the far end, and one machine on each.
TEST(TopologyFile, DeepestChain) {
    std::string text = "[network]\nspeed = \"1Gbit\"\n";
    for (std::int64_t index = aapc::max_machines - 1; index > 0; --index) {
        text +=
            fmt::format("[[switch]]\nname = \"s{}\"\nuplink = \"s{}\"\nmachines = \"n{}\"\n", index, index - 1, index);
    }
    text += "[[switch]]\nname = \"s0\"\nmachines = \"n0\"\n";
    const Network network = read(text);
    EXPECT_EQ(network.machines().size(), static_cast<std::size_t>(aapc::max_machines));
    EXPECT_EQ(network_bound(network, full_placement(network)).messages, 32768LL * 32768LL);
}

TEST(TopologyFile, AllMachinesOnOneLineOfOneArray) {
    std::string text = "switch = [{machine_speed = '1Gbit', name = '\xc3\xa9', machines = [";
    for (int index = 0; index < 65'536; ++index) {
        text += fmt::format("'n{}', ", index);
    }
    // The name is wrong, and not ASCII, so that columns and bytes differ on the whole line.
    const auto network = read_topology(text + "'x y']}]", "f");
    ASSERT_FALSE(network);
    EXPECT_EQ(network.error().column, 45);
}

TEST(TopologyFile, FilesThatCannotBeRead) {
    const std::filesystem::path directory = std::filesystem::path(testing::TempDir()) / "aapc-network-test";
    std::filesystem::create_directories(directory);
    const auto complaint = [](const std::string& path) {
        const auto network = read_topology_file(path);
        return network ? "no complaint" : to_string(network.error());
    };
    EXPECT_EQ(complaint(directory.string()),
              directory.string() + ": it is a directory; give the name of a topology file");
    const std::string missing = (directory / "missing.toml").string();
    EXPECT_EQ(complaint(missing), missing +
                                      ": cannot be opened: No such file or directory; give the name of a topology file "
                                      "that can be read");
    EXPECT_EQ(complaint("/dev/zero"), "/dev/zero:1:1: a zero byte; give a topology file, which is text");
    EXPECT_NE(complaint("/dev/null").find("/dev/null:1:1: the file describes no switch"), std::string::npos);
    const std::string large = (directory / "large.toml").string();
    std::ofstream(large) << contents(AAPC_SOURCE_DIRECTORY "/examples/switch-16.toml")
                         << std::string((std::size_t{16} << 20U), '\n');
    EXPECT_EQ(complaint(large), large + ": it is larger than 16 MiB; give a topology file");
    std::filesystem::resize_file(large, std::size_t{16} << 20U);
    EXPECT_EQ(complaint(large), "no complaint") << "comments and empty lines may fill a file";
    std::filesystem::remove_all(directory);
}

}  // namespace
