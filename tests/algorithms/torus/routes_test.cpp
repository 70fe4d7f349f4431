// Where messages go on a torus: the network, the bound and the checker hold the same rule, each written by itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <set>

#include "aapc/check/schedule.hpp"
#include "aapc/topology/bound.hpp"
#include "aapc/topology/torus.hpp"
#include "check/channels.hpp"
#include "support/networks.hpp"
#include "support/torus.hpp"

namespace aapc {
namespace {

using test::Sides;

/// The rule as it is written in docs/torus.md, one hop at a time: the machines that a message passes, both ends too.
std::vector<Machine> walk(const Sides& sides, Machine from, Machine to) {
    std::vector<Machine> passed{from};
    Machine stride = 1;
    for (std::size_t dimension = sides.size(); dimension-- > 0; stride *= sides[dimension]) {
        const std::int32_t side = sides[dimension];
        const auto place = [&](Machine machine) { return machine / stride % side; };
        std::int32_t upward = 0;
        while ((place(from) + upward) % side != place(to)) {
            ++upward;
        }
        const std::int32_t downward = side - upward;
        const bool ties_go_up = place(from) * 4 / side % 2 == 0;
        const bool up = upward < downward || (upward == downward && ties_go_up);
        while (place(from) != place(to)) {
            const std::int32_t next = (place(from) + (up ? 1 : side - 1)) % side;
            from += (next - place(from)) * stride;
            passed.push_back(from);
        }
    }
    return passed;
}

/// The machines that a list of directed links leads through.
std::vector<Machine> passed_by(const Network& network, Machine from, const std::vector<DirectedLink>& route) {
    std::vector<Machine> passed{from};
    for (const DirectedLink directed : route) {
        const Link& link = network.links().at(static_cast<std::size_t>(directed / 2));
        EXPECT_EQ(directed % 2 == 0 ? link.lower : link.upper, passed.back());
        passed.push_back(directed % 2 == 0 ? link.upper : link.lower);
    }
    return passed;
}

Sides without_ones(Sides sides) {
    std::erase(sides, 1);
    return sides;
}

TEST(TorusRoutes, SidesAreFoundInTheGraph) {
    for (const Sides& sides : test::small_tori(48)) {
        const Network network = test::torus_of(sides);
        const auto wiring = TorusWiring::find(network);
        ASSERT_TRUE(wiring) << test::text(sides);
        ASSERT_EQ(wiring->grid().sides(), without_ones(sides)) << test::text(sides);
    }
}

TEST(TorusRoutes, OtherGraphsAreNoTori) {
    EXPECT_FALSE(TorusWiring::find(test::chain_of({4, 4}).build()));
    const Network torus = test::torus_of({4, 3});
    for (std::size_t moved = 0; moved < torus.links().size(); ++moved) {
        std::vector<Link> links = torus.links();
        links[moved].upper = (links[moved].upper + 5) % 12;
        const Network damaged(NetworkKind::torus, torus.vertices(), links, torus.machines());
        EXPECT_FALSE(TorusWiring::find(damaged)) << "link " << moved;
        const Placement placement = full_placement(damaged);
        const auto channels = check::Channels::find(damaged, placement);
        ASSERT_FALSE(channels) << "link " << moved;
        EXPECT_EQ(channels.error().what,
                  "The network is not a torus: its 24 links do not make rings of its 12 machines in each of one, two "
                  "or three dimensions.");
    }
    std::vector<Link> links = torus.links();
    links.pop_back();
    EXPECT_FALSE(TorusWiring::find(Network(NetworkKind::torus, torus.vertices(), links, torus.machines())));
    EXPECT_FALSE(TorusWiring::find(Network(NetworkKind::torus, {}, {}, {})));
}

TEST(TorusRoutes, NetworkAndCheckerGoTheSameWay) {
    for (const Sides& sides : test::small_tori(36)) {
        SCOPED_TRACE(test::text(sides));
        const Network network = test::torus_of(sides);
        const Placement placement = full_placement(network);
        const auto wiring = TorusWiring::find(network);
        auto channels = check::Channels::find(network, placement);
        ASSERT_TRUE(wiring);
        ASSERT_TRUE(channels) << channels.error().what;
        const auto ports = static_cast<check::Channel>(2 * network.links().size());
        for (Machine from = 0; from < placement.participants(); ++from) {
            for (Machine to = 0; to < placement.participants(); ++to) {
                std::vector<DirectedLink> route;
                wiring->append_route(from, to, route);
                ASSERT_EQ(passed_by(network, from, route), walk(sides, from, to)) << from << "->" << to;
                std::vector<check::Channel> checked;
                channels->route(from, to, checked);
                std::vector<check::Channel> expected{ports + check::Channel{2} * from};
                expected.insert(expected.end(), route.begin(), route.end());
                expected.push_back(ports + check::Channel{2} * to + 1);
                ASSERT_EQ(checked, expected) << from << "->" << to;
            }
        }
    }
}

/// How a machine is numbered, which end of a cable is called lower, and in which order cables are listed, is nothing to
/// a route.
TEST(TorusRoutes, OrderAndOrientationOfLinksDoNotMatter) {
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        std::mt19937_64 random(seed);
        const auto all = test::small_tori(40);
        const Sides& sides = all[random() % all.size()];
        const Network ordered = test::torus_of(sides);
        std::vector<Link> links = ordered.links();
        std::shuffle(links.begin(), links.end(), random);
        for (Link& link : links) {
            if (random() % 2 == 0) {
                std::swap(link.lower, link.upper);
            }
        }
        const Network network(NetworkKind::torus, ordered.vertices(), links, ordered.machines());
        const auto wiring = TorusWiring::find(network);
        ASSERT_TRUE(wiring) << test::text(sides);
        for (Machine from = 0; from < wiring->grid().machines(); ++from) {
            const auto to = static_cast<Machine>(random() % static_cast<std::uint64_t>(wiring->grid().machines()));
            std::vector<DirectedLink> route;
            wiring->append_route(from, to, route);
            ASSERT_EQ(passed_by(network, from, route), walk(sides, from, to));
        }
    }
}

void expect_same_as_by_routes(const Sides& sides, const Network& network, const Placement& placement) {
    std::vector<std::int64_t> loads(2 * network.links().size(), 0);
    const auto wiring = TorusWiring::find(network);
    for (const Machine from : placement.machine_of) {
        for (const Machine to : placement.machine_of) {
            std::vector<DirectedLink> route;
            wiring->append_route(from, to, route);
            for (const DirectedLink link : route) {
                ++loads[static_cast<std::size_t>(link)];
            }
        }
    }
    const Bound bound = network_bound(network, placement);
    std::int64_t busiest = std::max<std::int64_t>(placement.participants() - 1, 0);
    std::set<std::int32_t> listed;
    for (const LinkLoad& load : bound.links) {
        const auto link = static_cast<std::size_t>(load.link);
        EXPECT_TRUE(listed.insert(load.link).second);
        EXPECT_EQ(load.messages, std::max(loads[2 * link], loads[2 * link + 1])) << test::text(sides) << link;
        EXPECT_GT(load.messages, 0);
        busiest = std::max(busiest, load.messages);
    }
    for (std::size_t link = 0; link < network.links().size(); ++link) {
        EXPECT_EQ(listed.contains(static_cast<std::int32_t>(link)), loads[2 * link] + loads[2 * link + 1] > 0)
            << test::text(sides) << " link " << link;
    }
    EXPECT_EQ(bound.messages, busiest) << test::text(sides);
}

TEST(TorusBound, EqualsTheCountOverAllRoutes) {
    std::uint64_t seed = 0;
    for (const Sides& sides : test::small_tori(36)) {
        const Network network = test::torus_of(sides, 1 + static_cast<std::int32_t>(seed % 2));
        const Placement full = full_placement(network);
        expect_same_as_by_routes(sides, network, full);
        expect_same_as_by_routes(sides, network, test::random_part(full, ++seed));
        ASSERT_FALSE(HasFailure()) << test::text(sides) << ", seed " << seed;
    }
}

TEST(TorusBound, KnownValues) {
    const auto messages = [](const Sides& sides) {
        const Network network = test::torus_of(sides);
        return network_bound(network, full_placement(network)).messages;
    };
    EXPECT_EQ(messages({8, 8}), 64);
    EXPECT_EQ(messages({16, 16}), 512);
    EXPECT_EQ(messages({32, 32}), 4096);
    EXPECT_EQ(messages({8, 16}), 256);
    EXPECT_EQ(messages({8, 8, 8}), 512);
    EXPECT_EQ(messages({16}), 32);
    EXPECT_EQ(messages({5, 5}), 24) << "the port; a link carries 15";
    EXPECT_EQ(messages({2, 2}), 3);
    EXPECT_EQ(messages({1, 1}), 0);
    // T >= m·P·k/8/B: 64 messages of one byte at 100 Mbit/s.
    const Network network = test::torus_of({8, 8});
    EXPECT_DOUBLE_EQ(network_bound(network, full_placement(network)).seconds_per_byte, 64 * 8 / 1e8);
    EXPECT_EQ(network_bound(network, Placement{}).messages, 0);
}

TEST(TorusBound, OfATreeIsThatOfTheTree) {
    const Network network = test::chain_of({4, 4, 4, 4}).build();
    EXPECT_EQ(network_bound(network, full_placement(network)).messages, 64);
}

TEST(TorusBound, LargeTori) {
    const Network network = test::torus_of({256, 256});
    EXPECT_EQ(network_bound(network, full_placement(network)).messages, 65'536LL * 256 / 8);
}

/// The checker finds contention on a torus, and names the link.
TEST(TorusCheck, TwoMessagesOnALink) {
    const Network network = test::torus_of({1, 8});
    const Placement placement = full_placement(network);
    ScheduleDraft draft{"by hand", "", std::nullopt, {}, Guarantee::contention_free};
    const auto add = [&](Rank from, Rank to) {
        draft.phases.push_back({{static_cast<Phase>(draft.phases.size()), from, to}});
    };
    for (Rank from = 0; from < 8; ++from) {
        for (Rank to = 0; to < 8; ++to) {
            if (from != to) {
                add(from, to);
            }
        }
    }
    ASSERT_TRUE(check_schedule(draft, network, placement));
    // 0->3 passes 1->2; 0->4 goes up and 3->7 down, so these two meet nowhere, and neither does 4->0, upward.
    const auto together = [&](std::vector<std::pair<Rank, Rank>> pairs) {
        ScheduleDraft changed = draft;
        for (std::vector<Transfer>& phase : changed.phases) {
            std::erase_if(phase, [&](const Transfer& message) {
                return std::find(pairs.begin(), pairs.end(), std::pair(message.from, message.to)) != pairs.end();
            });
        }
        const auto last = static_cast<Phase>(changed.phases.size());
        std::vector<Transfer>& phase = changed.phases.emplace_back();
        for (const auto& [from, to] : pairs) {
            phase.push_back({last, from, to});
        }
        const auto schedule = check_schedule(changed, network, placement);
        return schedule ? "" : schedule.error().what;
    };
    EXPECT_EQ(together({{0, 3}, {1, 2}}), "In phase 56, messages t0->t3 and t1->t2 both use the link t1->t2.");
    EXPECT_EQ(together({{0, 4}, {3, 7}, {4, 0}, {7, 3}}), "");
    EXPECT_EQ(together({{0, 4}, {1, 5}}), "In phase 56, messages t0->t4 and t1->t5 both use the link t1->t2.");
    EXPECT_EQ(together({{7, 2}, {6, 7}}), "");
    EXPECT_EQ(together({{7, 2}, {0, 1}}), "In phase 56, messages t7->t2 and t0->t1 both use the link t0->t1.");
}

}  // namespace
}  // namespace aapc
