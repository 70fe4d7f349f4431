// Fabrics: what files of them say, the ways between machines, and the bounds by name.
#include "aapc/topology/fabric.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "aapc/topology/bound.hpp"
#include "aapc/topology/network_digest.hpp"
#include "aapc/topology/topology_file.hpp"
#include "support/fabrics.hpp"

namespace {

using aapc::Bound;
using aapc::BoundKind;
using aapc::DirectedLink;
using aapc::ExpectedBound;
using aapc::FabricPaths;
using aapc::FabricRoutes;
using aapc::full_placement;
using aapc::Machine;
using aapc::Network;
using aapc::NetworkKind;
using aapc::Placement;
using aapc::test::dragonfly;
using aapc::test::fabric_header;
using aapc::test::fat_tree;
using aapc::test::leaf_spine;
using aapc::test::read_fabric_text;

FabricRoutes routes_of(const Network& network) {
    auto routes = FabricRoutes::find(network);
    EXPECT_TRUE(routes);
    return std::move(*routes);
}

std::size_t index(std::int32_t value) { return static_cast<std::size_t>(value); }

TEST(Fabric, IsReadWithEveryCableALink) {
    const Network network = read_fabric_text(
        "[network]\nkind = 'fabric'\nspeed = '25Gbit'\npaths = 'sprayed'\nbuffer = '64KiB'\n"
        "[[switch]]\nname = 'leaf0'\nuplinks = ['spine0', 'spine1:2']\nuplink_speed = '100Gbit'\nmachines = "
        "'n[0-1]:2'\n"
        "[[switch]]\nname = 'leaf1'\nuplinks = 'spine[0-1]'\nmachines = 'm'\nuplink_buffer = '1MiB'\n"
        "[[switch]]\nname = 'spine0'\nbuffer = '2MiB'\n[[switch]]\nname = 'spine1'\n");
    EXPECT_EQ(network.kind(), NetworkKind::fabric);
    EXPECT_EQ(network.forwarding().paths, FabricPaths::sprayed);
    ASSERT_EQ(network.links().size(), 3 + 2 + 2 + 1);
    // The first cable to each spine, then the second to that which has two.
    EXPECT_EQ(network.links()[0].upper, 2);
    EXPECT_EQ(network.links()[1].upper, 3);
    EXPECT_EQ(network.links()[2].upper, 3);
    EXPECT_EQ(network.links()[0].bits_per_second, 100e9);
    EXPECT_EQ(network.links()[3].bits_per_second, 25e9);
    EXPECT_EQ(network.links()[0].lower_buffer_bytes, 64 << 10);
    EXPECT_EQ(network.links()[0].upper_buffer_bytes, 2 << 20);
    EXPECT_EQ(network.links()[5].lower_buffer_bytes, 1 << 20);
    EXPECT_EQ(full_placement(network).participants(), 5);
}

TEST(Fabric, CablesToOneSwitchMayHaveAnotherSpeed) {
    const Network network = read_fabric_text(
        "[network]\nkind = 'fabric'\n[[switch]]\nname = 'leaf'\nuplinks = 'spine[0-2]'\nuplink_speeds = { spine0 = "
        "'40Gbit', spine1 = '10Gbit' }\nuplink_speed = '100Gbit'\nmachines = 'n'\nmachine_speed = '1Gbit'\n"
        "[[switch]]\nname = 'spine0'\n[[switch]]\nname = 'spine1'\n[[switch]]\nname = 'spine2'\n");
    EXPECT_EQ(network.links()[0].bits_per_second, 40e9);
    EXPECT_EQ(network.links()[1].bits_per_second, 10e9);
    EXPECT_EQ(network.links()[2].bits_per_second, 100e9);
    const auto other = aapc::read_topology(
        "[network]\nkind = 'fabric'\nspeed = '1bit'\n[[switch]]\nname = 'a'\nuplinks = 'b'\nuplink_speeds = { c = "
        "'2bit' }\nmachines = 'n'\n[[switch]]\nname = 'b'\n",
        "f");
    ASSERT_FALSE(other);
    EXPECT_EQ(to_string(other.error()),
              "f:7:23: 'c' is not among the uplinks; name switches as uplinks does, as in uplink_speeds = { spine1 = "
              "\"40Gbit\" }");
}

TEST(Fabric, WithOneSpineIsTheTreeWithABundle) {
    const std::string switches =
        "[[switch]]\nname = 'a'\nmachines = 'n[0-3]'\n{0}[[switch]]\nname = 'b'\nmachines = "
        "'m[0-2]'\n{0}[[switch]]\nname = 'top'\nmachines = 'x'\n";
    const Network fabric =
        read_fabric_text(fabric_header("hashed") + fmt::format(fmt::runtime(switches), "uplinks = 'top:3'\n"));
    const auto tree = aapc::read_topology(
        "[network]\nspeed = '100Mbit'\n" + fmt::format(fmt::runtime(switches), "uplink = 'top'\nuplink_links = 3\n"),
        "tree.toml");
    ASSERT_TRUE(tree);
    const Placement placement = full_placement(fabric);
    EXPECT_NEAR(network_bound(fabric, placement).seconds_per_byte, network_bound(*tree, placement).seconds_per_byte,
                1e-18);
    const Network cables = aapc::fabric_of_cables(*tree);
    const ExpectedBound one = expected_bound(fabric, routes_of(fabric), placement);
    const ExpectedBound other = expected_bound(cables, routes_of(cables), placement);
    EXPECT_NEAR(one.mean, other.mean, 1e-15);
    EXPECT_NEAR(one.worst, other.worst, 1e-15);
    const Network cuts = tree_of_cuts(fabric);
    EXPECT_NEAR(tree_bound(cuts, placement).seconds_per_byte, tree_bound(*tree, placement).seconds_per_byte, 1e-18);
}

TEST(Fabric, PathsAndTablesBelongToTheDigest) {
    const std::string leaves =
        "[[switch]]\nname = 'a'\nuplinks = 's[0-1]'\nmachines = 'n[0-1]'\n{}[[switch]]\nname = "
        "'b'\nuplinks = 's[0-1]'\nmachines = 'm'\n[[switch]]\nname = 's0'\n[[switch]]\nname = 's1'\n";
    std::set<std::string> digests;
    for (const std::string& text :
         {fabric_header("hashed") + fmt::format(fmt::runtime(leaves), ""),
          fabric_header("static") + fmt::format(fmt::runtime(leaves), ""),
          fabric_header("static") + fmt::format(fmt::runtime(leaves), "routes = { s0 = 'm' }\n"),
          fabric_header("static") + fmt::format(fmt::runtime(leaves), "routes = { s1 = 'm' }\n")}) {
        digests.insert(network_digest(read_fabric_text(text)));
    }
    EXPECT_EQ(digests.size(), 4);
}

/// Counts the messages of every pair along its route.
std::vector<double> counted(const Network& network, const FabricRoutes& routes, const Placement& placement) {
    std::vector<double> loads(2 * network.links().size(), 0);
    std::vector<DirectedLink> route;
    for (const Machine from : placement.machine_of) {
        for (const Machine to : placement.machine_of) {
            route.clear();
            routes.append(from, to, 0, route);
            for (const DirectedLink link : route) {
                loads[index(link)] += 1;
            }
        }
    }
    return loads;
}

TEST(Fabric, StaticLoadsAreThoseOfTheRoutes) {
    for (const Network& network : {leaf_spine(4, 4, 2, "static"), leaf_spine(5, 7, 3, "static", 4),
                                   fat_tree(4, "static"), dragonfly(3, 2, "static")}) {
        const FabricRoutes routes = routes_of(network);
        Placement placement = full_placement(network);
        placement.machine_of.erase(placement.machine_of.begin() + 3);
        placement.machine_of.push_back(0);
        EXPECT_EQ(static_loads(network, routes, placement), counted(network, routes, placement));
        EXPECT_EQ(network_bound(network, placement).kind, BoundKind::exact);
    }
}

TEST(Fabric, DestinationModuloSpreadsEvenlyOnFullFatTrees) {
    for (const Network& network :
         {leaf_spine(4, 4, 4, "static"), leaf_spine(8, 4, 2, "static"), fat_tree(4, "static"), fat_tree(8, "static")}) {
        const FabricRoutes routes = routes_of(network);
        const Placement placement = full_placement(network);
        const std::vector<double> even = even_loads(network, routes, placement);
        const std::vector<double> exact = static_loads(network, routes, placement);
        for (std::size_t link = 0; link < even.size(); ++link) {
            EXPECT_NEAR(exact[link], even[link], 1e-6) << link;
        }
    }
}

TEST(Fabric, ModuloIsEvenOnlyWhereItsLoadsAre) {
    int even_ones = 0;
    for (int spines = 1; spines <= 4; ++spines) {
        for (int hosts = 1; hosts <= 8; ++hosts) {
            const Network network = leaf_spine(3, hosts, spines, "static");
            const Placement placement = full_placement(network);
            if (modulo_is_even(network, placement)) {
                ++even_ones;
                const auto even = regular_even_loads(network, placement);
                ASSERT_TRUE(even);
                const std::vector<double> exact = static_loads(network, routes_of(network), placement);
                for (std::size_t link = 0; link < exact.size(); ++link) {
                    ASSERT_NEAR(exact[link], (*even)[link], 1e-6) << hosts << ' ' << spines << ' ' << link;
                }
            }
        }
    }
    EXPECT_EQ(even_ones, 8 + 4 + 2 + 2);  // hosts a multiple of spines
    const Network tree = fat_tree(6, "static");
    Placement placement = full_placement(tree);
    EXPECT_TRUE(modulo_is_even(tree, placement));
    placement.machine_of.pop_back();
    EXPECT_FALSE(modulo_is_even(tree, placement));
    EXPECT_FALSE(modulo_is_even(leaf_spine(4, 4, 4, "static", 1), full_placement(leaf_spine(4, 4, 4, "static", 1))));
}

TEST(Fabric, TablesSayWhereMessagesGo) {
    const std::string rest =
        "[[switch]]\nname = 'b'\nuplinks = 's[0-1]'\nmachines = 'm[0-1]'\n[[switch]]\nname = "
        "'s0'\n[[switch]]\nname = 's1'\n";
    const Network network = read_fabric_text(fabric_header("static") +
                                             "[[switch]]\nname = 'a'\nuplinks = ['s0', 's1:2']\nmachines = 'n[0-1]'\n"
                                             "routes = { 's1:2' = 'm[0-1]' }\n" +
                                             rest);
    const FabricRoutes routes = routes_of(network);
    for (const Machine to : {2, 3}) {
        std::vector<DirectedLink> route;
        routes.append(0, to, 0, route);
        ASSERT_EQ(route.size(), 4);
        EXPECT_EQ(route[1], 2 * 2);
    }
}

TEST(Fabric, HashedRoutesAreShortestAndOfEveryCable) {
    const Network network = fat_tree(4, "hashed");
    const FabricRoutes routes = routes_of(network);
    std::set<DirectedLink> used;
    for (std::uint64_t draw = 0; draw < 20; ++draw) {
        for (Machine from = 0; from < 16; ++from) {
            for (Machine to = 0; to < 16; ++to) {
                std::vector<DirectedLink> route;
                routes.append(from, to, aapc::connection_key(draw, from, to), route);
                EXPECT_EQ(route.size(), from == to ? 0 : from / 2 == to / 2 ? 2 : from / 4 == to / 4 ? 4 : 6);
                used.insert(route.begin(), route.end());
            }
        }
    }
    EXPECT_EQ(used.size(), 2 * network.links().size());
}

TEST(Fabric, EvenLoadsSurviveDeadLinks) {
    const Network network = leaf_spine(4, 4, 4, "sprayed", 5, 7);
    const Placement placement = full_placement(network);
    const Bound bound = network_bound(network, placement);
    EXPECT_EQ(bound.kind, BoundKind::even);
    // Everything that leaves a leaf leaves it by its uplinks.
    const std::vector<double> loads = even_loads(network, routes_of(network), placement);
    for (aapc::Vertex leaf = 0; leaf < 4; ++leaf) {
        double up = 0;
        for (std::size_t link = 0; link < network.links().size(); ++link) {
            up += network.links()[link].lower == leaf ? loads[2 * link] : 0;
        }
        EXPECT_NEAR(up, 4 * 12, 1e-9);
    }
    EXPECT_LE(tree_bound(tree_of_cuts(network), placement).seconds_per_byte, bound.seconds_per_byte * (1 + 1e-12));
}

TEST(Fabric, CutsOfAFatTreeHaveItsBound) {
    for (const Network& network : {fat_tree(4, "hashed"), leaf_spine(4, 8, 2, "hashed")}) {
        const Placement placement = full_placement(network);
        EXPECT_NEAR(tree_bound(tree_of_cuts(network), placement).seconds_per_byte,
                    network_bound(network, placement).seconds_per_byte, 1e-15);
    }
}

TEST(Fabric, RegularLoadsAreThoseOfSharingAtEverySwitch) {
    std::mt19937 generator(11);
    for (const Network& network : {leaf_spine(4, 4, 2, "hashed"), leaf_spine(5, 3, 4, "sprayed"), fat_tree(4, "hashed"),
                                   fat_tree(6, "sprayed")}) {
        Placement placement = full_placement(network);
        for (int rank = 0; rank < 9; ++rank) {  // several on some machines
            placement.machine_of.push_back(placement.machine_of[generator() % placement.machine_of.size()]);
        }
        placement.machine_of.erase(placement.machine_of.begin() + 1);
        const auto regular = regular_even_loads(network, placement);
        ASSERT_TRUE(regular);
        const std::vector<double> general = even_loads(network, routes_of(network), placement);
        for (std::size_t link = 0; link < general.size(); ++link) {
            ASSERT_NEAR((*regular)[link], general[link], 1e-6) << link;
        }
    }
}

TEST(Fabric, IsRegularOnlyWithAllItsCables) {
    const std::string uneven =
        "[[switch]]\nname = 'a'\nuplinks = ['s0', 's1:2']\nmachines = 'n[0-1]'\n[[switch]]\nname = 'b'\nuplinks = "
        "'s[0-1]'\nmachines = 'm'\n[[switch]]\nname = 's0'\n[[switch]]\nname = 's1'\n";
    for (const Network& network : {leaf_spine(4, 4, 4, "hashed", 1), dragonfly(3, 2, "hashed"),
                                   read_fabric_text(fabric_header("hashed") + uneven)}) {
        EXPECT_FALSE(regular_even_loads(network, full_placement(network)));
    }
}

// The draws of loads that go together and those of single connections have one distribution.
TEST(Fabric, DrawsOfLeavesAreDrawsOfConnections) {
    const Network network = leaf_spine(4, 4, 2, "hashed");
    const FabricRoutes routes = routes_of(network);
    const Placement placement = full_placement(network);
    double together = 0;
    double single = 0;
    constexpr int draws = 400;
    for (std::uint64_t draw = 0; draw < draws; ++draw) {
        const std::vector<double> loads = hashed_loads(network, routes, placement, draw);
        together += *std::max_element(loads.begin(), loads.end()) / draws;
        std::vector<double> counts(loads.size(), 0);
        std::vector<DirectedLink> route;
        for (Machine from = 0; from < 16; ++from) {
            for (Machine to = 0; to < 16; ++to) {
                route.clear();
                routes.append(from, to, aapc::connection_key(draw, from, to), route);
                for (const DirectedLink link : route) {
                    counts[index(link)] += 1;
                }
            }
        }
        single += *std::max_element(counts.begin(), counts.end()) / draws;
    }
    EXPECT_NEAR(together, single, 0.02 * single);
}

TEST(Fabric, ExpectedBoundByFormulaAgreesWithSampling) {
    for (const Network& network :
         {leaf_spine(4, 4, 2, "hashed"), leaf_spine(4, 4, 4, "hashed"), leaf_spine(2, 8, 4, "hashed"),
          leaf_spine(4, 8, 4, "hashed"), leaf_spine(8, 16, 4, "hashed"), leaf_spine(4, 16, 4, "hashed"),
          leaf_spine(6, 9, 3, "hashed", 4), fat_tree(4, "hashed"), fat_tree(8, "hashed")}) {
        const FabricRoutes routes = routes_of(network);
        const Placement placement = full_placement(network);
        const ExpectedBound formula = expected_bound(network, routes, placement);
        const ExpectedBound sampled = sampled_bound(network, routes, placement, 2000);
        EXPECT_NEAR(formula.mean / sampled.mean, 1, 0.015)
            << network.machines().size() << " machines, " << network.links().size() << " links";
        EXPECT_NEAR(formula.worst / sampled.worst, 1, 0.03) << network.machines().size();
        EXPECT_GE(formula.mean, network_bound(network, placement).seconds_per_byte * (1 - 1e-12));
    }
}

}  // namespace
