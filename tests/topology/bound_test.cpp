#include "aapc/topology/bound.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "support/networks.hpp"

namespace {

using aapc::Bound;
using aapc::full_placement;
using aapc::Link;
using aapc::LinkLoad;
using aapc::Machine;
using aapc::Network;
using aapc::NetworkKind;
using aapc::Placement;
using aapc::tree_bound;
using aapc::Vertex;

/// Both directions of every link, counted message by message along the path that a breadth-first search finds.
std::vector<std::int64_t> count_by_paths(const Network& network, const Placement& placement) {
    std::vector<std::int64_t> load(2 * network.links().size(), 0);
    const auto vertex_of = [&](std::size_t rank) {
        return network.machines()[static_cast<std::size_t>(placement.machine_of[rank])].vertex;
    };
    for (std::size_t from = 0; from < placement.machine_of.size(); ++from) {
        std::vector<int> reached_by(network.vertices().size(), -1);
        std::vector<Vertex> queue{vertex_of(from)};
        for (std::size_t next = 0; next < queue.size(); ++next) {
            for (std::size_t index = 0; index < network.links().size(); ++index) {
                const Link& link = network.links()[index];
                for (const int direction : {0, 1}) {
                    const Vertex near = direction == 0 ? link.lower : link.upper;
                    const Vertex far = direction == 0 ? link.upper : link.lower;
                    if (near == queue[next] && far != queue[0] && reached_by[static_cast<std::size_t>(far)] < 0) {
                        reached_by[static_cast<std::size_t>(far)] = 2 * static_cast<int>(index) + direction;
                        queue.push_back(far);
                    }
                }
            }
        }
        for (std::size_t to = 0; to < placement.machine_of.size(); ++to) {
            for (Vertex at = vertex_of(to); at != vertex_of(from);) {
                const int arrival = reached_by[static_cast<std::size_t>(at)];
                ++load[static_cast<std::size_t>(arrival)];
                const Link& link = network.links()[static_cast<std::size_t>(arrival / 2)];
                at = arrival % 2 == 0 ? link.lower : link.upper;
            }
        }
    }
    return load;
}

/// The network with its vertices and links shuffled, links turned round and speeds drawn from a few: nothing about
/// orientation or order may matter.
Network shuffled(const Network& network, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<Vertex> place(network.vertices().size());
    for (std::size_t index = 0; index < place.size(); ++index) {
        place[index] = static_cast<Vertex>(index);
    }
    std::shuffle(place.begin(), place.end(), random);
    std::vector<aapc::NetworkVertex> vertices(place.size());
    for (std::size_t index = 0; index < place.size(); ++index) {
        vertices[static_cast<std::size_t>(place[index])] = network.vertices()[index];
    }
    std::vector<Link> links = network.links();
    std::shuffle(links.begin(), links.end(), random);
    for (Link& link : links) {
        link.lower = place[static_cast<std::size_t>(link.lower)];
        link.upper = place[static_cast<std::size_t>(link.upper)];
        if (random() % 2 == 0) {
            std::swap(link.lower, link.upper);
        }
        const double speeds[] = {1e8, 1e9, 2.5e9};
        link.bits_per_second = speeds[random() % 3];
    }
    std::vector<aapc::NetworkMachine> machines = network.machines();
    for (aapc::NetworkMachine& machine : machines) {
        machine.vertex = place[static_cast<std::size_t>(machine.vertex)];
    }
    return {NetworkKind::tree, vertices, links, machines};
}

void expect_same_as_by_paths(const Network& network, const Placement& placement) {
    const std::vector<std::int64_t> counted = count_by_paths(network, placement);
    const Bound bound = tree_bound(network, placement);
    std::vector<std::int64_t> load(network.links().size(), 0);
    for (const LinkLoad& entry : bound.links) {
        const auto link = static_cast<std::size_t>(entry.link);
        EXPECT_EQ(load[link], 0) << "link " << link << " is listed twice";
        EXPECT_GT(entry.messages, 0);
        load[link] = entry.messages;
        EXPECT_DOUBLE_EQ(entry.seconds_per_byte,
                         static_cast<double>(entry.messages) * 8 / network.links()[link].bits_per_second);
    }
    std::int64_t most = std::max(0, placement.participants() - 1);
    double longest = 0;
    double slowest = 0;
    for (std::size_t link = 0; link < load.size(); ++link) {
        EXPECT_EQ(load[link], counted[2 * link]) << "link " << link;
        EXPECT_EQ(load[link], counted[2 * link + 1]) << "link " << link;
        if (counted[2 * link] > 0) {
            const double speed = network.links()[link].bits_per_second;
            most = std::max(most, counted[2 * link]);
            longest = std::max(longest, static_cast<double>(counted[2 * link]) * 8 / speed);
            slowest = slowest == 0 ? speed : std::min(slowest, speed);
        }
    }
    EXPECT_EQ(bound.messages, most);
    EXPECT_DOUBLE_EQ(bound.seconds_per_byte, longest);
    EXPECT_EQ(bound.slowest_bits_per_second, slowest);
    EXPECT_TRUE(std::is_sorted(bound.links.begin(), bound.links.end(), [](const LinkLoad& left, const LinkLoad& right) {
        return left.seconds_per_byte != right.seconds_per_byte ? left.seconds_per_byte > right.seconds_per_byte
                                                               : left.link < right.link;
    }));
}

TEST(TreeBound, EqualsTheCountOverAllPathsOnRandomTrees) {
    for (std::uint64_t seed = 1; seed <= 500; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        const Network network = shuffled(aapc::test::random_tree(seed, 1, 14).build(), seed);
        const Placement full = full_placement(network);
        expect_same_as_by_paths(network, full);
        expect_same_as_by_paths(network, aapc::test::random_part(full, seed));
        if (HasFailure()) {
            break;
        }
    }
}

TEST(TreeBound, KnownValues) {
    const auto messages = [](const aapc::test::TreeBuilder& tree) {
        const Network network = tree.build();
        return tree_bound(network, full_placement(network)).messages;
    };
    EXPECT_EQ(messages(aapc::test::chain_of({4, 4, 4, 4})), 64);
    EXPECT_EQ(messages(aapc::test::chain_of({16})), 15);
    EXPECT_EQ(messages(aapc::test::star_of({4, 4, 4, 1, 1, 1, 1})), 48);
    EXPECT_EQ(messages(aapc::test::star_of({3, 2, 1})), 9);
}

TEST(TreeBound, RanksOfOneMachineUseNoLink) {
    aapc::test::TreeBuilder tree;
    tree.add_switch(-1);
    tree.add_machine(0, 4);
    const Network network = tree.build();
    const Bound bound = tree_bound(network, full_placement(network));
    EXPECT_EQ(bound.messages, 3) << "a rank's own port";
    EXPECT_EQ(bound.seconds_per_byte, 0);
    EXPECT_EQ(bound.slowest_bits_per_second, 0);
    EXPECT_TRUE(bound.links.empty());
}

TEST(TreeBound, OfNobodyAndOfOne) {
    const Network network = aapc::test::chain_of({1, 1}).build();
    EXPECT_EQ(tree_bound(network, Placement{}).messages, 0);
    EXPECT_TRUE(tree_bound(network, Placement{}).links.empty());
    EXPECT_EQ(tree_bound(network, Placement{{1}}).messages, 0);
    EXPECT_TRUE(tree_bound(network, Placement{{1}}).links.empty());
}

TEST(TreeBound, DeepChainsAreNoStackOfCalls) {
    aapc::test::TreeBuilder tree;
    constexpr int switches = 100'000;
    for (int index = 0; index < switches; ++index) {
        tree.add_switch(index - 1);
    }
    tree.add_machine(0, 30'000);
    tree.add_machine(switches - 1, 35'000);
    const Network network = tree.build();
    const Bound bound = tree_bound(network, full_placement(network));
    EXPECT_EQ(bound.messages, 30'000LL * 35'000LL);
    EXPECT_EQ(bound.links.size(), static_cast<std::size_t>(switches) + 1);
}

TEST(FasterThanWires, IsSaidWithTheFactorFromFivePercentOn) {
    EXPECT_EQ(aapc::faster_than_wires(2.0, 1.0, "cluster.toml"),
              "2.00 times as fast as the wires in cluster.toml allow: the speeds there are too low");
    EXPECT_TRUE(aapc::faster_than_wires(1.06, 1.0, "f"));
    EXPECT_FALSE(aapc::faster_than_wires(1.04, 1.0, "f")) << "clocks and frames are not that exact";
    EXPECT_FALSE(aapc::faster_than_wires(0.5, 1.0, "f"));
    EXPECT_FALSE(aapc::faster_than_wires(1.0, 0.0, "f")) << "nothing was measured";
}

}  // namespace
