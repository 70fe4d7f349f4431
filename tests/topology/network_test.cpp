#include "aapc/topology/network.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

using aapc::Link;
using aapc::Network;
using aapc::NetworkKind;
using aapc::NetworkMachine;
using aapc::NetworkVertex;
using aapc::Vertex;

Network switch_with(const std::vector<std::string>& names) {
    std::vector<NetworkVertex> vertices{{"s0", true}};
    std::vector<Link> links;
    std::vector<NetworkMachine> machines;
    for (const std::string& name : names) {
        const auto vertex = static_cast<Vertex>(vertices.size());
        vertices.push_back({name, false});
        links.push_back({vertex, 0, 1e9});
        machines.push_back({vertex, 1});
    }
    return {NetworkKind::tree, vertices, links, machines};
}

TEST(Network, FindsMachinesWithAndWithoutTheirDomain) {
    const Network network = switch_with({"n0", "n1.cluster.example", "n2", "n2.other.example", "n3.a", "n3.b", "n4.c"});
    EXPECT_EQ(network.find_machine("n0"), 0);
    EXPECT_EQ(network.find_machine("n0.cluster.example"), 0);
    EXPECT_EQ(network.find_machine("n1"), 1);
    EXPECT_EQ(network.find_machine("n1.cluster.example"), 1);
    EXPECT_EQ(network.find_machine("n1.elsewhere.example"), -1) << "another domain is another machine";
    EXPECT_EQ(network.find_machine("n2"), 2) << "an exact match comes first";
    EXPECT_EQ(network.find_machine("n2.other.example"), 3);
    EXPECT_EQ(network.find_machine("n2.third.example"), -1) << "two agree up to the first dot";
    EXPECT_EQ(network.find_machine("n3"), -1) << "two agree up to the first dot";
    EXPECT_EQ(network.find_machine("n3.b"), 5);
    EXPECT_EQ(network.find_machine("n4"), 6);
    EXPECT_EQ(network.find_machine("s0"), -1) << "a switch is no machine";
    EXPECT_EQ(network.find_machine("n"), -1);
    EXPECT_EQ(network.find_machine("n01"), -1);
    EXPECT_EQ(network.find_machine("N0"), -1);
    EXPECT_EQ(network.find_machine(""), -1);
    EXPECT_EQ(network.find_machine("."), -1);
}

TEST(Network, AddressesAreNotTakenForEachOther) {
    const Network network = switch_with({"10.0.0.1"});
    EXPECT_EQ(network.find_machine("10.0.0.1"), 0);
    EXPECT_EQ(network.find_machine("10.0.0.2"), -1);
}

TEST(Network, CopiesFindMachinesToo) {
    const Network copy = [] {
        const Network original = switch_with({"first-of-all.example", "second-of-all.example"});
        return Network(original);
    }();
    EXPECT_EQ(copy.find_machine("second-of-all"), 1);
    EXPECT_EQ(copy.machine_name(0), "first-of-all.example");
}

TEST(Network, LinksAtAVertexAreInFileOrder) {
    const Network network(NetworkKind::tree, {{"s0", true}, {"s1", true}, {"n0", false}, {"n1", false}},
                          {{2, 0, 1e9}, {1, 0, 1e9}, {3, 1, 1e9}}, {{2, 1}, {3, 1}});
    EXPECT_EQ(network.links_at(0), (std::vector<std::int32_t>{0, 1}));
    EXPECT_EQ(network.links_at(1), (std::vector<std::int32_t>{1, 2}));
    EXPECT_EQ(network.links_at(3), (std::vector<std::int32_t>{2}));
    EXPECT_EQ(network.other_end(1, 0), 1);
    EXPECT_EQ(network.other_end(1, 1), 0);
}

TEST(Network, KindsHaveTheirNamesInFiles) {
    EXPECT_EQ(to_string(NetworkKind::tree), "tree");
    EXPECT_EQ(to_string(NetworkKind::torus), "torus");
    EXPECT_EQ(to_string(NetworkKind::clusters), "clusters");
}

}  // namespace
