#include "aapc/topology/siblings.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "aapc/topology/bound.hpp"
#include "aapc/topology/link_loads.hpp"
#include "support/fabrics.hpp"
#include "support/networks.hpp"
#include "support/torus.hpp"

namespace {

using aapc::Link;
using aapc::Network;
using aapc::network_bound;
using aapc::Placement;
using aapc::Rank;
using aapc::shared_network;
using aapc::sibling_groups;
using aapc::Vertex;

using Groups = std::vector<std::vector<Rank>>;

/// The lines of a grid along one of its dimensions, by coordinates (MPI_Cart_sub with that dimension alone).
Groups lines_of_grid(const std::vector<int>& sides, std::size_t along) {
    const int ranks = std::accumulate(sides.begin(), sides.end(), 1, [](int all, int side) { return all * side; });
    std::vector<std::vector<int>> coordinates;
    Groups lines;
    std::vector<std::vector<int>> others;
    for (Rank rank = 0; rank < ranks; ++rank) {
        std::vector<int> at(sides.size());
        int rest = rank;
        for (std::size_t dimension = sides.size(); dimension-- > 0;) {
            at[dimension] = rest % sides[dimension];
            rest /= sides[dimension];
        }
        at[along] = 0;
        const auto found = std::find(others.begin(), others.end(), at);
        if (found == others.end()) {
            others.push_back(at);
            lines.push_back({rank});
        } else {
            lines[static_cast<std::size_t>(found - others.begin())].push_back(rank);
        }
    }
    return lines;
}

TEST(SiblingGroups, AreTheLinesOfEveryGridOfThreeDimensions) {
    for (int code = 0; code < 4 * 4 * 4; ++code) {
        const std::vector<int> sides = {1 + code % 4, 1 + code / 4 % 4, 1 + code / 16};
        for (std::size_t along = 0; along < 3; ++along) {
            Groups lines = lines_of_grid(sides, along);
            const bool one_rank_each = sides[along] == 1;
            const Groups expected = one_rank_each || lines.size() == 1 ? Groups() : lines;
            for (std::vector<Rank> members : lines) {
                std::reverse(members.begin(), members.end());
                SCOPED_TRACE(testing::PrintToString(sides) + " along " + std::to_string(along));
                EXPECT_EQ(sibling_groups(members, sides[0] * sides[1] * sides[2]), expected);
            }
        }
    }
}

/// Groups of the ranks first, first+stride, … one after the other, each from the least rank that is in none yet.
Groups tiled(Rank size, Rank stride, Rank ranks) {
    std::vector<bool> taken(static_cast<std::size_t>(ranks), false);
    Groups groups;
    for (Rank first = 0; first < ranks; ++first) {
        if (taken[static_cast<std::size_t>(first)]) {
            continue;
        }
        std::vector<Rank> group;
        for (Rank index = 0; index < size; ++index) {
            const Rank rank = first + index * stride;
            if (rank >= ranks || taken[static_cast<std::size_t>(rank)]) {
                return {};
            }
            taken[static_cast<std::size_t>(rank)] = true;
            group.push_back(rank);
        }
        groups.push_back(group);
    }
    return groups;
}

TEST(SiblingGroups, OfEveryPartOfUpToTwelveRanksDivideAllRanksOrAreNone) {
    for (Rank ranks = 1; ranks <= 12; ++ranks) {
        for (unsigned part = 1; part < 1U << static_cast<unsigned>(ranks); ++part) {
            std::vector<Rank> members;
            for (Rank rank = 0; rank < ranks; ++rank) {
                if ((part >> static_cast<unsigned>(rank) & 1U) != 0) {
                    members.push_back(rank);
                }
            }
            Groups expected;
            for (Rank stride = 1; stride < ranks && members.size() > 1 && expected.empty(); ++stride) {
                const Groups all = tiled(static_cast<Rank>(members.size()), stride, ranks);
                if (all.size() > 1 && std::find(all.begin(), all.end(), members) != all.end()) {
                    expected = all;
                }
            }
            Groups found = sibling_groups(members, ranks);
            std::sort(found.begin(), found.end());
            ASSERT_EQ(found, expected) << ranks << " ranks, " << testing::PrintToString(members);
        }
    }
}

TEST(SiblingGroups, NeedRanksThatExist) {
    EXPECT_TRUE(sibling_groups(std::vector<Rank>{}, 4).empty());
    EXPECT_TRUE(sibling_groups(std::vector<Rank>{-1, 0}, 4).empty());
    EXPECT_TRUE(sibling_groups(std::vector<Rank>{2, 4}, 4).empty());
    EXPECT_TRUE(sibling_groups(std::vector<Rank>{1, 1}, 4).empty());
}

std::vector<Placement> placements_of(const Placement& world, const Groups& groups) {
    std::vector<Placement> placements;
    std::transform(groups.begin(), groups.end(), std::back_inserter(placements),
                   [&](const std::vector<Rank>& group) { return placement_of(group, world); });
    return placements;
}

/// Messages of one group that cross the link in one direction: its ranks on one side times those on the other, which a
/// walk that does not take the link finds.
std::int64_t crossing(const Network& network, std::size_t cut, const Placement& group) {
    std::vector<bool> reached(network.vertices().size(), false);
    std::vector<Vertex> walk{network.links()[cut].lower};
    reached[static_cast<std::size_t>(walk.front())] = true;
    for (std::size_t next = 0; next < walk.size(); ++next) {
        for (std::size_t index = 0; index < network.links().size(); ++index) {
            const Link& link = network.links()[index];
            for (const auto& [near, far] : {std::pair(link.lower, link.upper), std::pair(link.upper, link.lower)}) {
                if (index != cut && near == walk[next] && !reached[static_cast<std::size_t>(far)]) {
                    reached[static_cast<std::size_t>(far)] = true;
                    walk.push_back(far);
                }
            }
        }
    }
    std::int64_t here = 0;
    for (const aapc::Machine machine : group.machine_of) {
        here += reached[static_cast<std::size_t>(network.machines()[static_cast<std::size_t>(machine)].vertex)] ? 1 : 0;
    }
    return here * (group.participants() - here);
}

TEST(SharedNetwork, HasTheBoundOfAllGroupsOnRandomTrees) {
    int shared_by_some = 0;
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        std::mt19937_64 random(seed);
        const Network network = aapc::test::random_tree(seed, 4, 14).build();
        const auto ranks = static_cast<Rank>(4 * (1 + random() % 4));
        Placement world;
        for (Rank rank = 0; rank < ranks; ++rank) {
            world.machine_of.push_back(static_cast<aapc::Machine>(random() % network.machines().size()));
        }
        const std::vector<Rank> strides = {1, 2, ranks / 4};
        const Rank stride = strides[random() % strides.size()];
        const Groups groups = sibling_groups(std::vector<Rank>{0, stride, 2 * stride, 3 * stride}, ranks);
        const std::vector<Placement> together = placements_of(world, groups);
        for (const Placement& own : together) {
            double expected = 0;
            bool shares = false;
            for (std::size_t link = 0; link < network.links().size(); ++link) {
                std::int64_t all = 0;
                for (const Placement& group : together) {
                    all += crossing(network, link, group);
                }
                const std::int64_t here = crossing(network, link, own);
                if (here > 0) {
                    expected = std::max(expected, static_cast<double>(8 * all) / network.links()[link].bits_per_second);
                    shares = shares || all > here;
                }
            }
            const auto shared = shared_network(network, own, together);
            ASSERT_EQ(shared.has_value(), shares);
            EXPECT_NEAR(network_bound(shared ? *shared : network, own).seconds_per_byte, expected, 1e-9 * expected);
            shared_by_some += shares ? 1 : 0;
        }
        if (HasFailure()) {
            break;
        }
    }
    EXPECT_GT(shared_by_some, 300);
}

/// The bound of the demand of all groups at once, by the loads of links under any demand: seconds for blocks of
/// `bytes`.
double bound_of_demand(const Network& network, const Placement& world, const Groups& groups, std::int64_t bytes) {
    const auto loads = aapc::LinkLoads::find(network, world).value();
    std::vector<std::int64_t> all(loads.size(), 0);
    std::vector<std::int64_t> share(loads.size());
    for (const std::vector<Rank>& group : groups) {
        for (const Rank rank : group) {
            std::vector<std::int64_t> row(static_cast<std::size_t>(world.participants()), 0);
            for (const Rank other : group) {
                row[static_cast<std::size_t>(other)] = other == rank ? 0 : bytes;
            }
            loads.write_share(rank, row, row, share);
            loads.combine(share, all);
        }
    }
    return loads.bound(all).seconds();
}

double longest_bound_on_shared_links(const Network& network, const Placement& world, const Groups& groups,
                                     std::int64_t bytes) {
    const std::vector<Placement> together = placements_of(world, groups);
    double longest = 0;
    for (const Placement& own : together) {
        const auto shared = shared_network(network, own, together);
        const double seconds_per_byte = network_bound(shared ? *shared : network, own).seconds_per_byte;
        longest = std::max(longest, seconds_per_byte * static_cast<double>(bytes));
    }
    return longest;
}

TEST(SharedNetwork, HasTheBoundOfAllGroupsOnFabricsAndTori) {
    struct Case {
        const char* name;
        Network network;
        /// How far the two may be apart. Dimension order and tables need not spread what routes of equal length could.
        double factor;
    };
    const std::vector<Case> cases = {{"hashed", aapc::test::leaf_spine(4, 4, 2, "hashed"), 1 + 1e-9},
                                     {"sprayed", aapc::test::leaf_spine(4, 4, 3, "sprayed", 2), 1 + 1e-9},
                                     {"static", aapc::test::leaf_spine(4, 4, 2, "static"), 2},
                                     {"torus", aapc::test::torus_of({2, 8}), 2}};
    for (const Case& one : cases) {
        SCOPED_TRACE(one.name);
        Placement world;
        for (aapc::Machine machine = 0; machine < 16; ++machine) {
            world.machine_of.push_back(machine);
        }
        for (const Rank stride : {1, 4}) {
            const Groups groups =
                sibling_groups(std::vector<Rank>{0, stride, 2 * stride, 3 * stride}, world.participants());
            ASSERT_EQ(groups.size(), 4U);
            constexpr std::int64_t bytes = 1 << 20;
            const double expected = bound_of_demand(one.network, world, groups, bytes);
            const double found = longest_bound_on_shared_links(one.network, world, groups, bytes);
            EXPECT_LE(found, expected * one.factor);
            EXPECT_GE(found * one.factor, expected);
        }
    }
}

TEST(SharedNetwork, GivesEachColumnOfAChainAQuarterOfItsTrunksAndOfTheirBuffers) {
    const Network plain = aapc::test::chain_of({4, 4, 4, 4}).build();
    std::vector<Link> links = plain.links();
    for (Link& link : links) {
        link.bits_per_second = 100e6;
        link.upper_buffer_bytes = 131072;
    }
    const Network network(plain.kind(), plain.vertices(), links, plain.machines());
    std::vector<Placement> columns(4);
    for (aapc::Machine machine = 0; machine < 16; ++machine) {
        columns[static_cast<std::size_t>(machine % 4)].machine_of.push_back(machine);
    }
    const auto shared = shared_network(network, columns[1], columns);
    ASSERT_TRUE(shared);
    for (std::size_t index = 0; index < links.size(); ++index) {
        const bool is_trunk = network.vertices()[static_cast<std::size_t>(links[index].lower)].is_switch &&
                              network.vertices()[static_cast<std::size_t>(links[index].upper)].is_switch;
        EXPECT_DOUBLE_EQ(shared->links()[index].bits_per_second, is_trunk ? 25e6 : 100e6);
        EXPECT_EQ(shared->links()[index].upper_buffer_bytes, is_trunk ? 32768 : 131072);
    }
}

TEST(SharedNetwork, IsNoneWhereSpeedsAreNotKnown) {
    const Network plain = aapc::test::chain_of({2, 2}).build();
    std::vector<Link> links = plain.links();
    for (Link& link : links) {
        link.bits_per_second = 0;
    }
    const Network network(plain.kind(), plain.vertices(), links, plain.machines());
    const std::vector<Placement> columns = {{{0, 2}}, {{1, 3}}};
    EXPECT_FALSE(shared_network(network, columns[0], columns));
}

TEST(LinksSharedBy, SiblingsAmongTheRanksOfTheWorld) {
    const Network network = aapc::test::chain_of({4, 4}).build();
    const Placement world = aapc::full_placement(network);
    // Two columns of a grid of 4 x 2 cross the trunk, two halves of the ranks do not.
    const auto columns = aapc::links_shared_by(network, world, std::vector<Rank>{1, 3, 5, 7});
    ASSERT_TRUE(columns.has_value());
    EXPECT_EQ(columns->siblings, 2);
    EXPECT_FALSE(aapc::links_shared_by(network, world, std::vector<Rank>{0, 1, 2, 3}).has_value());
    EXPECT_FALSE(aapc::links_shared_by(network, world, std::vector<Rank>{0, 1, 4, 6}).has_value());
    EXPECT_EQ(aapc::sharing_text(2),
              "it is taken to share links with another communicator that exchanges at the same time");
    EXPECT_EQ(aapc::sharing_text(4), "it is taken to share links with 3 communicators that exchange at the same time");
}

}  // namespace
