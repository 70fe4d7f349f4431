// Where a rank's messages part, and segments that leave evenly towards every part.
#include "plan/spread.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <vector>

#include "aapc/topology/routes.hpp"
#include "algorithms/lattice/worlds.hpp"
#include "support/torus.hpp"

namespace aapc {
namespace {

std::size_t index(std::int32_t value) { return static_cast<std::size_t>(value); }

/// The ranks of every group, the root's first.
std::vector<std::vector<Rank>> ranks_of(const RouteTree& tree) {
    std::vector<std::vector<Rank>> ranks(tree.parent.size());
    for (Rank rank = 0; rank < static_cast<Rank>(tree.group_of.size()); ++rank) {
        for (std::int32_t group = tree.group_of[index(rank)]; group >= 0; group = tree.parent[index(group)]) {
            ranks[index(group)].push_back(rank);
        }
    }
    return ranks;
}

/// For every link on a route from `rank`: the ranks behind it. All sets but those of all ranks, in a tree of all that
/// are on other machines; each once.
std::vector<std::vector<Rank>> behind_links(const Network& network, const Placement& placement, Rank rank) {
    const auto routes = Routes::find(network);
    std::map<DirectedLink, std::vector<Rank>> behind;
    for (Rank to = 0; to < placement.participants(); ++to) {
        std::vector<DirectedLink> route;
        routes->append(placement.machine_of[index(rank)], placement.machine_of[index(to)], route);
        for (const DirectedLink link : route) {
            behind[link].push_back(to);
        }
    }
    std::vector<std::vector<Rank>> sets;
    const std::size_t beside = network.kind() == NetworkKind::torus ? 0 : ranks_beside(placement, rank).size();
    for (const auto& [link, ranks] : behind) {
        if (ranks.size() < placement.machine_of.size() - beside) {
            sets.push_back(ranks);
        }
    }
    std::sort(sets.begin(), sets.end());
    sets.erase(std::unique(sets.begin(), sets.end()), sets.end());
    return sets;
}

void expect_groups(const Network& network, const Placement& placement) {
    for (Rank rank = 0; rank < placement.participants(); ++rank) {
        const RouteTree tree = route_tree(network, placement, rank);
        std::vector<std::vector<Rank>> groups = ranks_of(tree);
        EXPECT_EQ(groups.front().size(), placement.machine_of.size());
        for (std::size_t group = 1; group < tree.parent.size(); ++group) {
            EXPECT_LT(tree.parent[group], static_cast<std::int32_t>(group));
        }
        groups.erase(groups.begin());
        std::sort(groups.begin(), groups.end());
        EXPECT_EQ(groups, behind_links(network, placement, rank));
    }
}

TEST(RouteTree, GroupsAreWhatLiesBehindLinks) {
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        SCOPED_TRACE(seed);
        const Network network = test::random_speeds(seed, 12).build();
        const Placement all = full_placement(network);
        expect_groups(network, seed % 2 == 0 ? all : test::random_part(all, seed));
    }
    for (const test::Sides& sides : {test::Sides{5}, test::Sides{4, 4}, test::Sides{2, 3, 3}}) {
        const Network network = test::torus_of(sides);
        expect_groups(network, full_placement(network));
    }
}

/// Two racks of three machines; rank 0 sends. One group is the other rack, and so is each of the other machines.
struct TwoRacks {
    Network network = test::chain_of({3, 3}).build();
    RouteTree tree = route_tree(network, full_placement(network), 0);
};

/// How far what has left for the ranks of a group is from an even flow, in bytes, at worst: the middle of a segment,
/// when half of it has left, against its share of the cycle; less by what all of it is later.
double furthest_off(const std::vector<TimedSegment>& segments, const std::vector<Rank>& ranks, double cycle) {
    double total = 0;
    for (const TimedSegment& segment : segments) {
        total += std::count(ranks.begin(), ranks.end(), segment.peer) > 0 ? static_cast<double>(segment.bytes) : 0;
    }
    std::vector<double> off;
    double before = 0;
    for (const TimedSegment& segment : segments) {
        if (std::count(ranks.begin(), ranks.end(), segment.peer) > 0) {
            const auto bytes = static_cast<double>(segment.bytes);
            off.push_back(before + bytes / 2 - total * segment.start_seconds / cycle);
            before += bytes;
        }
    }
    const auto [least, most] = std::minmax_element(off.begin(), off.end());
    return off.empty() ? 0 : (*most - *least) / 2;
}

TEST(Spread, WhatLeavesThroughAnyLinkIsNearlyEven) {
    const TwoRacks racks;
    std::mt19937_64 random(1);
    for (int number = 0; number < 50; ++number) {
        std::vector<TimedSegment> segments;
        for (const Rank peer : {1, 2, 3, 4, 5}) {
            const auto count = static_cast<std::int64_t>(random() % 20);
            for (std::int64_t segment = 0; segment < count; ++segment) {
                const double fraction = static_cast<double>(random() % 100) / 100;
                segments.push_back({(static_cast<double>(segment) + fraction) / static_cast<double>(count), peer,
                                    1000 * segment, 1000});
            }
        }
        const std::vector<TimedSegment> before = segments;
        spread_evenly(racks.tree, 1, segments);
        ASSERT_EQ(segments.size(), before.size());
        std::map<Rank, std::int64_t> next;
        for (const TimedSegment& segment : segments) {
            EXPECT_TRUE(segment.start_seconds >= 0 && segment.start_seconds < 1);
            EXPECT_EQ(segment.offset, 1000 * next[segment.peer]++) << "pieces go in order";
        }
        for (const TimedSegment& segment : before) {
            EXPECT_GT(next[segment.peer], segment.offset / 1000) << "none is lost";
        }
        EXPECT_TRUE(std::is_sorted(segments.begin(), segments.end(), [](const auto& left, const auto& right) {
            return left.start_seconds < right.start_seconds;
        }));
        EXPECT_LE(furthest_off(segments, {3, 4, 5}, 1), 1000 * (most_segments_off + 1));
    }
}

TEST(Spread, WhatIsEvenStays) {
    const TwoRacks racks;
    std::vector<TimedSegment> segments;
    for (Rank peer = 1; peer < 6; ++peer) {
        segments.push_back({0.2 * (peer - 1) + 0.05, peer, 0, 500});
    }
    const std::vector<TimedSegment> before = segments;
    spread_evenly(racks.tree, 1, segments);
    EXPECT_EQ(segments, before);
    std::vector<TimedSegment> none;
    spread_evenly(racks.tree, 1, none);
    EXPECT_TRUE(none.empty());
}

TEST(Spread, AllAtOnceIsPulledApart) {
    const TwoRacks racks;
    std::vector<TimedSegment> segments;
    for (Rank peer = 1; peer < 6; ++peer) {
        segments.push_back({0.5, peer, 0, 500});
    }
    EXPECT_EQ(furthest_off(segments, {3, 4, 5}, 1), 500);
    spread_evenly(racks.tree, 1, segments);
    EXPECT_LE(furthest_off(segments, {3, 4, 5}, 1), 500 * most_segments_off + 1e-9);
    // In its own rack every message has a link for itself.
    EXPECT_EQ(std::count_if(segments.begin(), segments.end(),
                            [](const TimedSegment& segment) { return segment.start_seconds == 0.5; }),
              3);
}

}  // namespace
}  // namespace aapc
