// Loads, routes and speeds that the lattice counts by, against the bound's.
#include "algorithms/lattice/traffic.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "aapc/topology/bound.hpp"
#include "algorithms/lattice/worlds.hpp"

namespace aapc {
namespace {

using lattice::Traffic;
using testing::ElementsAre;

std::vector<std::int64_t> speeds_of(const std::vector<double>& speeds, const std::vector<std::int64_t>& loads) {
    std::vector<NetworkVertex> vertices{{"s0", true}};
    std::vector<Link> links;
    for (std::size_t link = 0; link < speeds.size(); ++link) {
        vertices.push_back({"n" + std::to_string(link), false});
        links.push_back({static_cast<Vertex>(link) + 1, 0, speeds[link]});
    }
    return lattice::whole_speeds(Network(NetworkKind::tree, vertices, links, {}), loads);
}

TEST(LatticeSpeeds, AreExactRatios) {
    EXPECT_THAT(speeds_of({25e9, 100e9, 2.5e9}, {1, 1, 1}), ElementsAre(10, 40, 1));
    EXPECT_THAT(speeds_of({0.4, 1, 40}, {1, 1, 1}), ElementsAre(2, 5, 200));
    EXPECT_THAT(speeds_of({3e8}, {1}), ElementsAre(1));
}

TEST(LatticeSpeeds, AreAllOneWhereOneThatCountsIsNotKnown) {
    EXPECT_THAT(speeds_of({25e9, 0, 100e9}, {1, 1, 1}), ElementsAre(1, 1, 1));
    EXPECT_THAT(speeds_of({25e9, 0, 100e9}, {1, 0, 1}), ElementsAre(1, 1, 4));
    EXPECT_THAT(speeds_of({25e9, std::numeric_limits<double>::quiet_NaN()}, {1, 1}), ElementsAre(1, 1));
}

TEST(LatticeSpeeds, StayBelowTheirLimitWhateverTheMeasure) {
    EXPECT_THAT(speeds_of({1, 1e12}, {1, 1}), ElementsAre(1, testing::Le(std::int64_t{1} << 24U)));
    EXPECT_THAT(speeds_of({941123457, 941123456}, {1, 1}),
                ElementsAre(testing::Gt(std::int64_t{1} << 23U), testing::Le(std::int64_t{1} << 24U)));
    EXPECT_THAT(speeds_of({1e300, 1e300}, {1, 1}), ElementsAre(1, 1));
}

/// The busier direction of every link carries what the bound says.
void expect_loads(const Network& network, const Placement& placement) {
    const auto positions = lattice::place_ranks(network, placement);
    ASSERT_TRUE(positions);
    const auto traffic = Traffic::find(network, placement, *positions, 1 << 30);
    ASSERT_TRUE(traffic);
    std::vector<std::int64_t> loads(network.links().size(), 0);
    std::int64_t hops = 0;
    for (std::size_t channel = 0; channel < traffic->channels(); ++channel) {
        std::int64_t& load = loads[static_cast<std::size_t>(traffic->link(channel)) / 2];
        load = std::max(load, traffic->load(channel));
        hops += traffic->load(channel);
    }
    EXPECT_EQ(traffic->hops(), hops);
    std::vector<std::int64_t> expected(loads.size(), 0);
    for (const LinkLoad& load : network_bound(network, placement).links) {
        expected[static_cast<std::size_t>(load.link)] = load.messages;
    }
    EXPECT_EQ(loads, expected);
}

TEST(LatticeTraffic, CarriesWhatTheBoundSays) {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        const Network network = test::random_speeds(seed, 20).build();
        expect_loads(network, full_placement(network));
        expect_loads(network, test::random_part(full_placement(network), seed));
    }
    for (const auto& sides : std::vector<std::vector<std::int32_t>>{{3}, {2, 2}, {4, 5}, {4, 4, 2}}) {
        const Network torus = test::small_torus(sides, 2);
        expect_loads(torus, full_placement(torus));
        expect_loads(torus, test::random_part(full_placement(torus), 1));
    }
}

TEST(LatticeTraffic, MessagesFlowInAtTheSlowestSpeedBefore) {
    test::TreeBuilder tree;
    tree.add_switch(-1);
    tree.add_switch(0, 4e8);
    tree.add_machine(0, 1, 2e8);
    tree.add_machine(1, 2, 1e8);
    const Network network = tree.build();
    const Placement placement = full_placement(network);
    const auto positions = lattice::place_ranks(network, placement);
    const auto traffic = Traffic::find(network, placement, *positions, 1000);
    const auto inflows = [&](lattice::Position from, lattice::Position to) {
        std::vector<std::int32_t> list;
        for (const lattice::Hop& hop : traffic->route(from, to)) {
            list.push_back(hop.inflow);
        }
        return list;
    };
    EXPECT_THAT(inflows(0, 1), ElementsAre(2, 2, 2));
    EXPECT_THAT(inflows(1, 0), ElementsAre(1, 1, 1));
    EXPECT_THAT(inflows(1, 2), ElementsAre()) << "a message inside a machine crosses no link";
    EXPECT_FALSE(Traffic::find(network, placement, *positions, 5)) << "six hops between machines";
}

}  // namespace
}  // namespace aapc
