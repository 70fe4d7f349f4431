// Routes of the simulated network against the loads that the bound counts, which knows no routes.
#include "routes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "aapc/topology/bound.hpp"
#include "aapc/topology/placement.hpp"
#include "support/networks.hpp"
#include "support/torus.hpp"

namespace aapc::simulation {
namespace {

/// Messages of everybody to everybody over each link, in the direction that carries more.
std::map<std::int32_t, std::int64_t> loads_by_routes(const Network& network, const Placement& placement) {
    const auto routes = Routes::find(network);
    EXPECT_TRUE(routes);
    std::map<DirectedLink, std::int64_t> directed;
    for (const Machine from : placement.machine_of) {
        for (const Machine to : placement.machine_of) {
            std::vector<DirectedLink> route;
            routes->append(from, to, route);
            for (const DirectedLink link : route) {
                ++directed[link];
            }
        }
    }
    std::map<std::int32_t, std::int64_t> loads;
    for (const auto& [link, messages] : directed) {
        loads[link / 2] = std::max(loads[link / 2], messages);
    }
    return loads;
}

std::map<std::int32_t, std::int64_t> loads_by_bound(const Network& network, const Placement& placement) {
    std::map<std::int32_t, std::int64_t> loads;
    for (const LinkLoad& load : network_bound(network, placement).links) {
        loads[load.link] = load.messages;
    }
    return loads;
}

TEST(Routes, LoadTheLinksOfTreesAsTheBoundSays) {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        const Network network = test::random_tree(seed, 1, 30).build();
        const Placement placement = full_placement(network);
        EXPECT_EQ(loads_by_routes(network, placement), loads_by_bound(network, placement))
            << "random_tree(" << seed << ", 1, 30)";
    }
}

TEST(Routes, LoadTheLinksOfToriAsTheBoundSays) {
    for (const test::Sides& sides : test::small_tori(40)) {
        const Network network = test::torus_of(sides);
        const Placement placement = full_placement(network);
        EXPECT_EQ(loads_by_routes(network, placement), loads_by_bound(network, placement)) << test::text(sides);
    }
}

TEST(Routes, LeadFromMachineToMachine) {
    const Network network = test::random_tree(7, 20, 30).build();
    const auto routes = Routes::find(network);
    ASSERT_TRUE(routes);
    for (Machine from = 0; from < static_cast<Machine>(network.machines().size()); ++from) {
        for (Machine to = 0; to < static_cast<Machine>(network.machines().size()); ++to) {
            std::vector<DirectedLink> route;
            routes->append(from, to, route);
            Vertex at = network.machines()[static_cast<std::size_t>(from)].vertex;
            for (const DirectedLink directed : route) {
                const Link& link = network.links()[static_cast<std::size_t>(directed / 2)];
                ASSERT_EQ(directed % 2 == 0 ? link.lower : link.upper, at);
                at = directed % 2 == 0 ? link.upper : link.lower;
            }
            EXPECT_EQ(at, network.machines()[static_cast<std::size_t>(to)].vertex);
        }
    }
}

TEST(Routes, ACircleIsNoTree) {
    const std::vector<NetworkVertex> vertices = {{"s0", true}, {"s1", true}, {"n0", false}};
    const std::vector<Link> links = {{1, 0, 1e8}, {0, 1, 1e8}};
    const Network network(NetworkKind::tree, vertices, links, {{2, 1}});
    EXPECT_FALSE(Routes::find(network));
}

}  // namespace
}  // namespace aapc::simulation
