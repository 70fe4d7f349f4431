// The bound of a demand from the ranks' shares, against every message counted on every link of its route.
#include "aapc/topology/link_loads.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "aapc/topology/bound.hpp"
#include "aapc/topology/demand.hpp"
#include "aapc/topology/routes.hpp"
#include "algorithms/lattice/worlds.hpp"
#include "support/clusters.hpp"
#include "support/fabrics.hpp"

namespace aapc {
namespace {

std::size_t index(std::int32_t value) { return static_cast<std::size_t>(value); }

/// Lengths of all kinds, most of them small, many 0; on the diagonal as well, where they count for nothing.
Demand random_demand(Rank participants, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    Demand demand(participants);
    const std::uint64_t share_of_zeros = random() % 4;
    for (Rank from = 0; from < participants; ++from) {
        for (Rank to = 0; to < participants; ++to) {
            const auto bytes = static_cast<std::int64_t>((random() % 1'000'000) >> (random() % 20));
            demand.set(from, to, random() % 4 < share_of_zeros ? 0 : bytes);
        }
    }
    return demand;
}

/// By directed link.
std::vector<std::int64_t> counted_loads(const Network& network, const Placement& placement, const Demand& demand,
                                        std::int64_t& slowest_message) {
    const Expected<Routes> routes = Routes::find(network);
    std::vector<std::int64_t> loads(2 * network.links().size(), 0);
    for (Rank from = 0; from < demand.participants(); ++from) {
        for (Rank to = 0; to < demand.participants(); ++to) {
            std::vector<DirectedLink> route;
            routes->append(placement.machine_of[index(from)], placement.machine_of[index(to)], route);
            for (const DirectedLink link : route) {
                loads[index(link)] += demand.bytes(from, to);
                const auto cable = static_cast<std::int64_t>(network.links()[index(link / 2)].flow_bits_per_second());
                slowest_message = std::max(slowest_message, transfer_nanoseconds(demand.bytes(from, to), cable));
            }
        }
    }
    return loads;
}

void expect_bound(const Network& network, const Placement& placement, const Demand& demand, const std::string& repeat) {
    SCOPED_TRACE(repeat);
    const Expected<LinkLoads> loads = LinkLoads::find(network, placement);
    ASSERT_TRUE(loads) << to_string(loads.error());
    std::vector<std::int64_t> all(loads->size(), 0);
    for (Rank rank = 0; rank < demand.participants(); ++rank) {
        std::vector<std::int64_t> share(loads->size(), -1);
        loads->write_share(rank, demand.row(rank), demand.column(rank), share);
        loads->combine(share, all);
    }
    std::int64_t longest = 0;
    const std::vector<std::int64_t> counted = counted_loads(network, placement, demand, longest);
    for (std::size_t sum = 0; sum < loads->sums(); ++sum) {
        EXPECT_EQ(all[sum], counted[index(loads->link(sum))]) << loads->link(sum);
    }
    for (std::size_t link = 0; link < counted.size(); ++link) {
        const double speed = network.links()[link / 2].bits_per_second;
        longest = std::max(longest, transfer_nanoseconds(counted[link], static_cast<std::int64_t>(speed)));
    }
    EXPECT_EQ(loads->bound(all).nanoseconds, longest);
}

std::string repeat_with(const char* test, std::uint64_t seed) {
    return fmt::format("repeat with: AAPC_SEED={} demand_test --gtest_filter='LinkLoads.{}'", seed, test);
}

/// The seeds to try: all below `count`, or the one that AAPC_SEED names.
std::vector<std::uint64_t> seeds(std::uint64_t count) {
    if (const char* const only = std::getenv("AAPC_SEED")) {
        return {std::stoull(only)};
    }
    std::vector<std::uint64_t> all(count);
    std::iota(all.begin(), all.end(), 0);
    return all;
}

TEST(TransferTime, IsRoundedUpAndExact) {
    EXPECT_EQ(transfer_nanoseconds(0, 1), 0);
    EXPECT_EQ(transfer_nanoseconds(1, 8), 1'000'000'000);
    EXPECT_EQ(transfer_nanoseconds(1, 100'000'000), 80);
    EXPECT_EQ(transfer_nanoseconds(1, 3), 2'666'666'667);
    EXPECT_EQ(transfer_nanoseconds(125, 400'000'000'000), 3);  // 2.5
    EXPECT_EQ(transfer_nanoseconds(std::int64_t{1} << 50U, 9'000'000'000'000'000), 1'000'799'918);
    EXPECT_EQ(transfer_nanoseconds(std::int64_t{1} << 60U, 1), std::numeric_limits<std::int64_t>::max());
}

TEST(LinkLoads, EverySmallTree) {
    std::uint64_t seed = 0;
    test::for_each_small_tree([&](const Network& network) {
        const Placement placement = full_placement(network);
        expect_bound(network, placement, random_demand(placement.participants(), seed),
                     fmt::format("small tree {}", seed));
        ++seed;
    });
    EXPECT_GT(seed, 3000U);
}

TEST(LinkLoads, RandomTreesAndPartsOfThem) {
    for (const std::uint64_t seed : seeds(400)) {
        const Network network = test::random_speeds(seed, 24).build();
        const Placement all = full_placement(network);
        const Placement placement = seed % 2 == 0 ? all : test::random_part(all, seed);
        expect_bound(network, placement, random_demand(placement.participants(), seed),
                     repeat_with("RandomTreesAndPartsOfThem", seed));
    }
}

// A message has one cable of a bundle, however many there are.
TEST(LinkLoads, BundlesOfCables) {
    for (const std::uint64_t seed : seeds(200)) {
        const Network plain = test::random_speeds(seed, 12).build();
        std::vector<Link> links = plain.links();
        for (std::size_t link = 0; link < links.size(); ++link) {
            links[link].cables = 1 + static_cast<std::int32_t>((seed + link) % 4);
        }
        const Network network(plain.kind(), plain.vertices(), links, plain.machines());
        const Placement placement = full_placement(network);
        expect_bound(network, placement, random_demand(placement.participants(), seed),
                     repeat_with("BundlesOfCables", seed));
    }
}

TEST(LinkLoads, Tori) {
    for (const auto& sides : std::vector<std::vector<std::int32_t>>{{1}, {2}, {5}, {4, 4}, {5, 3}, {2, 3, 3}}) {
        for (const int ranks : {1, 2}) {
            const Network network = test::small_torus(sides, ranks);
            const Placement all = full_placement(network);
            expect_bound(network, all, random_demand(all.participants(), 1), TorusGrid(sides).text());
            const Placement part = test::random_part(all, 3);
            expect_bound(network, part, random_demand(part.participants(), 2), TorusGrid(sides).text() + ", a part");
        }
    }
}

/// `racks` switches of `machines` each on one, uplinks of `uplink` times the ports.
Network racks(int racks, int machines, double uplink, int ranks = 1) {
    test::TreeBuilder tree;
    tree.add_switch(-1);
    for (int rack = 0; rack < racks; ++rack) {
        const int at = tree.add_switch(0, uplink * 1e8);
        for (int machine = 0; machine < machines; ++machine) {
            tree.add_machine(at, ranks);
        }
    }
    return tree.build();
}

std::size_t sums_of(const Network& network) {
    const Expected<LinkLoads> loads = LinkLoads::find(network, full_placement(network));
    return loads ? loads->sums() : 1'000'000;
}

TEST(LinkLoads, LeaveOutWhatCannotBind) {
    EXPECT_EQ(sums_of(racks(16, 32, 32)), 0U) << "uplinks carry all that the ports can bring";
    EXPECT_EQ(sums_of(racks(16, 32, 40)), 0U);
    EXPECT_EQ(sums_of(racks(16, 32, 31)), 32U);
    EXPECT_EQ(sums_of(racks(16, 32, 31, 2)), 2U * (16 + 16 * 32)) << "a port of two ranks is no rank's alone";
    EXPECT_EQ(sums_of(racks(1, 1, 1)), 0U);
    EXPECT_EQ(sums_of(test::small_torus({4, 4})), 64U);
}

TEST(LinkLoads, NameTheLinkThatBinds) {
    const Network network = racks(2, 4, 1);
    const Placement placement = full_placement(network);
    const Expected<LinkLoads> loads = LinkLoads::find(network, placement);
    ASSERT_TRUE(loads);
    Demand demand(8);
    for (Rank from = 0; from < 4; ++from) {
        demand.set(from, 4 + from, 1000);
    }
    std::vector<std::int64_t> all(loads->size(), 0);
    for (Rank rank = 0; rank < 8; ++rank) {
        std::vector<std::int64_t> share(loads->size());
        loads->write_share(rank, demand.row(rank), demand.column(rank), share);
        loads->combine(share, all);
    }
    const DemandBound bound = loads->bound(all);
    EXPECT_EQ(bound.nanoseconds, 4 * 80'000);
    ASSERT_GE(bound.link, 0);
    EXPECT_EQ(network.links()[index(bound.link / 2)].upper, 0);
}

TEST(LinkLoads, ComplainOfASpeedThatNobodyKnows) {
    const Network plain = racks(2, 2, 1);
    std::vector<Link> links = plain.links();
    links[1].bits_per_second = 0;
    const Network network(plain.kind(), plain.vertices(), links, plain.machines());
    const Expected<LinkLoads> loads = LinkLoads::find(network, full_placement(network));
    ASSERT_FALSE(loads);
    EXPECT_EQ(loads.error().problem, "the speed of the link between 'n0' and 's1' is not known");
}

TEST(LinkLoads, OfStaticFabricsAreThoseOfTheirTables) {
    for (const Network& network : {test::leaf_spine(4, 4, 2, "static"), test::leaf_spine(4, 5, 4, "static", 5, 3),
                                   test::fat_tree(4, "static"), test::dragonfly(3, 2, "static")}) {
        Placement placement = full_placement(network);
        placement.machine_of.push_back(2);
        placement.machine_of.push_back(2);
        placement.machine_of.erase(placement.machine_of.begin());
        for (std::uint64_t seed = 0; seed < 4; ++seed) {
            expect_bound(network, placement, random_demand(placement.participants(), seed),
                         repeat_with("Static", seed));
        }
    }
}

TEST(LinkLoads, OfOtherFabricsAreTheEvenBound) {
    for (const Network& network : {test::leaf_spine(4, 4, 2, "hashed"), test::leaf_spine(4, 5, 4, "sprayed", 5, 3),
                                   test::fat_tree(4, "hashed"), test::dragonfly(3, 2, "sprayed")}) {
        const Placement placement = full_placement(network);
        constexpr std::int64_t bytes = 1'200'000;
        Demand demand(placement.participants());
        for (Rank from = 0; from < placement.participants(); ++from) {
            for (Rank to = 0; to < placement.participants(); ++to) {
                demand.set(from, to, bytes);
            }
        }
        const Expected<LinkLoads> loads = LinkLoads::find(network, placement);
        ASSERT_TRUE(loads);
        std::vector<std::int64_t> all(loads->size(), 0);
        for (Rank rank = 0; rank < placement.participants(); ++rank) {
            std::vector<std::int64_t> share(loads->size(), -1);
            loads->write_share(rank, demand.row(rank), demand.column(rank), share);
            loads->combine(share, all);
        }
        const double even = network_bound(network, placement).seconds_per_byte * static_cast<double>(bytes);
        EXPECT_NEAR(loads->bound(all).seconds(), even, 1e-6 * even);
    }
}

}  // namespace
}  // namespace aapc
