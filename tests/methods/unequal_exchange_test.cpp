// Whole exchanges of unequal messages, by the independent certificate: small worlds exhaustively, random ones by seed.
#include "aapc/methods/unequal_exchange.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "aapc/algorithms/algorithm.hpp"
#include "aapc/methods/cadence.hpp"
#include "aapc/topology/bound.hpp"
#include "aapc/topology/patterns.hpp"
#include "algorithms/lattice/worlds.hpp"
#include "support/torus.hpp"

namespace aapc {
namespace {

Expected<UnequalExchange> examined(const Network& network, const Placement& placement, std::string_view algorithm,
                                   std::string_view variant, const Demand& demand) {
    const auto timetable = build_timetable(**find_algorithm(algorithm), variant, network, placement);
    if (!timetable) {
        return failure(timetable.error());
    }
    const Cadence cadence = find_cadence(network, placement, network_bound(network, placement), **timetable);
    return examine_unequal_exchange(network, placement, **timetable, cadence, 0, demand);
}

/// Certified, and the checker finds the bound that the ranks found.
void expect_certified(const Network& network, const Placement& placement, const Demand& demand,
                      std::string_view algorithm = "lattice", std::string_view variant = "formula") {
    const auto exchange = examined(network, placement, algorithm, variant, demand);
    ASSERT_TRUE(exchange) << to_string(exchange.error());
    EXPECT_NEAR(exchange->queues.bound_seconds, exchange->bound.seconds(), 1.5e-9);
    EXPECT_GE(exchange->cycle_seconds, exchange->queues.bound_seconds);
    const auto raw = demand_bound(network, placement, demand);
    ASSERT_TRUE(raw);
    EXPECT_LE(raw->nanoseconds, exchange->bound.nanoseconds);
}

TEST(UnequalExchange, EverySmallTree) {
    std::uint64_t number = 0;
    std::mt19937_64 random(1);
    test::for_each_small_tree([&](const Network& network) {
        SCOPED_TRACE(fmt::format("small tree {}", number));
        const Placement placement = full_placement(network);
        Demand demand(placement.participants());
        for (Rank from = 0; from < placement.participants(); ++from) {
            for (Rank to = 0; to < placement.participants(); ++to) {
                demand.set(from, to, random() % 2 == 0 ? 0 : static_cast<std::int64_t>(random() % 30'000));
            }
        }
        expect_certified(network, placement, demand);
        ++number;
    });
    EXPECT_GT(number, 3000U);
}

TEST(UnequalExchange, EveryPatternOnRandomNetworksAndPartsOfThem) {
    const char* const only = std::getenv("AAPC_SEED");
    const std::uint64_t first = only != nullptr ? std::stoull(only) : 0;
    for (std::uint64_t seed = first; seed < (only != nullptr ? first + 1 : 45); ++seed) {
        SCOPED_TRACE(fmt::format("repeat with: AAPC_SEED={} methods_test --gtest_filter='UnequalExchange.*'", seed));
        const Network network = seed % 9 == 0   ? test::torus_of({3, 4})
                                : seed % 9 == 1 ? test::torus_of({2, 2, 3}, 2)
                                                : test::random_speeds(seed, 10).build();
        const Placement all = full_placement(network);
        const Placement placement = seed % 2 == 0 ? all : test::random_part(all, seed);
        const PatternEntry& pattern = patterns()[seed % patterns().size()];
        const auto demand = make_demand(pattern.name, placement.participants(), std::int64_t{1} << (seed % 18), seed);
        ASSERT_TRUE(demand);
        expect_certified(network, placement, *demand, "lattice", seed % 4 == 0 ? "settled" : "formula");
    }
}

// The times of any timetable that forwards nothing will do.
TEST(UnequalExchange, PhasesServeAsWell) {
    const Network network = test::chain_of({3, 4, 2}).build();
    const Placement placement = full_placement(network);
    const auto demand = make_demand("exponential", placement.participants(), 20'000, 1);
    expect_certified(network, placement, *demand, "tree", "merged");
}

TEST(UnequalExchange, EqualMessagesHaveAboutTheQueueOfTheLattice) {
    const Network network = test::chain_of({4, 4, 4, 4}).build();
    const Placement placement = full_placement(network);
    const auto timetable = build_timetable(**find_algorithm("lattice"), "formula", network, placement);
    const auto equal = certify_queues(**timetable, network, placement);
    const auto demand = make_demand("equal", placement.participants(), 100'000, 1);
    const auto exchange = examined(network, placement, "lattice", "formula", *demand);
    ASSERT_TRUE(equal && exchange);
    EXPECT_NEAR(exchange->queues.segments(), equal->segments(), 1);
}

/// Racks of `machines` on a switch, with buffers at all ports.
Network racks(int racks, int machines, double uplink, std::int64_t buffer) {
    test::TreeBuilder tree;
    tree.add_switch(-1);
    for (int rack = 0; rack < racks; ++rack) {
        const int at = tree.add_switch(0, uplink * 1e8);
        for (int machine = 0; machine < machines; ++machine) {
            tree.add_machine(at);
        }
    }
    const Network plain = tree.build();
    std::vector<Link> links = plain.links();
    for (Link& link : links) {
        link.lower_buffer_bytes = link.upper_buffer_bytes = buffer;
    }
    return {plain.kind(), plain.vertices(), links, plain.machines()};
}

// What is assumed of queues when segments are chosen holds for all patterns, and so they fit the buffers.
TEST(UnequalExchange, QueuesStayWithinWhatSegmentsAreChosenBy) {
    for (const std::int64_t buffer : {65536, 262144}) {
        const Network network = racks(4, 6, 3, buffer);
        const Placement placement = full_placement(network);
        const Bound bound = network_bound(network, placement);
        const auto timetable = build_timetable(**find_algorithm("lattice"), "formula", network, placement);
        const Cadence equal = find_cadence(network, placement, bound, **timetable);
        const Cadence cadence = cadence_for_unequal(network, bound, equal);
        EXPECT_GE(cadence.most_wire_bytes, 3 * 1547);
        EXPECT_LE(cadence.most_wire_bytes, equal.most_wire_bytes);
        for (const PatternEntry& pattern : patterns()) {
            const auto demand = make_demand(pattern.name, placement.participants(), 40'000, 1);
            const auto exchange = examine_unequal_exchange(network, placement, **timetable, cadence, 0, *demand);
            ASSERT_TRUE(exchange) << to_string(exchange.error());
            for (const LinkQueue& link : exchange->queues.links) {
                const auto load = std::find_if(bound.links.begin(), bound.links.end(),
                                               [&](const LinkLoad& other) { return other.link == link.link / 2; });
                // The share of a buffer that is left free makes up for the rest.
                EXPECT_LE(link.queue_bytes,
                          4.0 / 3 * unequal_queue_segments(load->messages) * exchange->queues.largest_segment_bytes)
                    << pattern.name << " on " << link_name(network, link.link);
                if (cadence.most_wire_bytes > 3 * 1547) {  // otherwise they would be too short
                    EXPECT_LT(link.queue_bytes, static_cast<double>(buffer)) << pattern.name;
                }
            }
        }
    }
}

}  // namespace
}  // namespace aapc
