// Networks found again from rounds that are computed: flows share links fairly or not quite, rates scatter, and now and
// then a flow is held up.
#include "offline/discovery/explorer.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <random>

#include "offline/discovery/fit.hpp"
#include "offline/discovery/rounds.hpp"

namespace aapc::discovery {
namespace {

using testing::ElementsAre;

constexpr double port = 3e6;

/// How far two divisions of the machines agree: 1 where they are the same, about 0 by chance (Hubert & Arabie, 1985).
double adjusted_rand_index(const std::vector<int>& one, const std::vector<int>& other) {
    const auto pairs = [](double count) { return count * (count - 1) / 2; };
    std::map<int, double> of_one;
    std::map<int, double> of_other;
    std::map<std::pair<int, int>, double> of_both;
    for (std::size_t index = 0; index < one.size(); ++index) {
        ++of_one[one[index]];
        ++of_other[other[index]];
        ++of_both[{one[index], other[index]}];
    }
    const auto sum = [&](const auto& counts) {
        return std::accumulate(counts.begin(), counts.end(), 0.0,
                               [&](double total, const auto& entry) { return total + pairs(entry.second); });
    };
    const double expected = sum(of_one) * sum(of_other) / pairs(static_cast<double>(one.size()));
    const double most = (sum(of_one) + sum(of_other)) / 2;
    return most == expected ? 1 : (sum(of_both) - expected) / (most - expected);
}

/// A network that is known, as it shows itself.
struct Truth {
    SwitchTree tree;
    double scatter = 0.04;
    double held_up = 0.03;  ///< the share of flows that lose up to half
    bool fair = false;
    double most_at_once = std::numeric_limits<double>::infinity();  ///< what the machines together are able to send
    /// The share of flows that are kept below half to all of a port's speed where all machines send and receive; fewer
    /// where fewer do.
    double busy = 0;
};

class Nature {
  public:
    Nature(const Truth& truth, std::uint64_t seed) : truth_(truth), random_(seed) {}

    std::vector<Round> measure(std::vector<Round> rounds) {
        for (Round& round : rounds) {
            // A flow that takes twice or three times the share of another is so many flows.
            Round copies;
            std::vector<std::size_t> flow_of;
            for (std::size_t flow = 0; flow < round.size(); ++flow) {
                const std::size_t weight = truth_.fair ? 1 : 1 + random_() % 3;
                copies.insert(copies.end(), weight, round[flow]);
                flow_of.insert(flow_of.end(), weight, flow);
            }
            const std::vector<double> rates = fair_rates(truth_.tree, copies);
            for (std::size_t copy = 0; copy < copies.size(); ++copy) {
                round[flow_of[copy]].bytes_per_second += rates[copy];
            }
            const double total = std::accumulate(round.begin(), round.end(), 0.0, [](double sum, const Flow& flow) {
                return sum + flow.bytes_per_second;
            });
            for (Flow& flow : round) {
                flow.bytes_per_second *= std::min(1.0, truth_.most_at_once / total);
                const double load = static_cast<double>(round.size()) / static_cast<double>(truth_.tree.ports.size());
                if (uniform_(random_) < truth_.busy * load * load) {
                    flow.bytes_per_second = std::min(flow.bytes_per_second, port * (1 - uniform_(random_) / 2));
                }
                flow.bytes_per_second *= std::exp(truth_.scatter * normal_(random_) - truth_.scatter);
                if (uniform_(random_) < truth_.held_up) {
                    flow.bytes_per_second *= 1 - uniform_(random_) / 2;
                }
            }
        }
        return rounds;
    }

  private:
    const Truth& truth_;
    std::mt19937_64 random_;
    std::normal_distribution<double> normal_;
    std::uniform_real_distribution<double> uniform_;
};

Findings explore(const Truth& truth, std::uint64_t seed, const RoundTrips& trips = {}) {
    Explorer explorer(static_cast<Machine>(truth.tree.ports.size()), trips, seed);
    Nature nature(truth, seed + 1);
    for (auto rounds = explorer.next(); !rounds.empty(); rounds = explorer.next()) {
        explorer.add(nature.measure(std::move(rounds)));
    }
    return explorer.findings();
}

std::vector<Machine> row(Machine first, Machine last) {
    std::vector<Machine> machines(static_cast<std::size_t>(last - first + 1));
    std::iota(machines.begin(), machines.end(), first);
    return machines;
}

SwitchTree tree_of(Machine machines, const std::vector<std::pair<std::vector<Machine>, double>>& groups) {
    SwitchTree tree{std::vector<double>(static_cast<std::size_t>(machines), port), {}};
    for (const auto& [members, ports] : groups) {
        add_group(tree, {members, ports * port});
    }
    return tree;
}

void expect_found(const Findings& found, const SwitchTree& truth, const std::string& name) {
    SCOPED_TRACE(name);
    EXPECT_EQ(adjusted_rand_index(switch_of(found.tree), switch_of(truth)), 1);
    ASSERT_TRUE(same_groups(found.tree, truth))
        << found.tree.groups.size() << " groups instead of " << truth.groups.size();
    for (std::size_t group = 0; group < truth.groups.size(); ++group) {
        EXPECT_NEAR(found.tree.groups[group].bytes_per_second / truth.groups[group].bytes_per_second, 1, 0.1)
            << "group " << group;
    }
}

TEST(FairRates, ShareWhatIsNarrowestFirst) {
    SwitchTree tree = tree_of(6, {{{3, 4, 5}, 1.0}});
    tree.ports[1] = port / 4;
    const std::vector<double> rates = fair_rates(tree, {{0, 3}, {1, 4}, {2, 0}, {5, 2}});
    EXPECT_THAT(rates, ElementsAre(testing::DoubleEq(0.75 * port), port / 4, port, port));
}

TEST(Explorer, FindsTheLabsTrees) {
    const std::map<std::string, SwitchTree> trees = {
        {"one switch", tree_of(16, {})},
        {"chain alike", tree_of(16, {{row(4, 15), 1}, {row(8, 15), 1}, {row(12, 15), 1}})},
        {"two of eight", tree_of(16, {{row(8, 15), 4}})},
        {"uneven and deep", tree_of(16, {{row(6, 15), 4}, {row(11, 15), 2}, {row(14, 15), 1}})},
        {"two of two", tree_of(4, {{row(2, 3), 1}})},
        {"star", tree_of(16, {{row(4, 7), 1}, {row(8, 11), 2}, {row(12, 15), 1}})},
    };
    for (const auto& [name, tree] : trees) {
        for (std::uint64_t seed = 1; seed <= 5; ++seed) {
            expect_found(explore({tree}, seed), tree, fmt::format("{}, seed {}", name, seed));
        }
    }
}

/// The most that flows across the link of a group can come to, by what is plugged in at both its ends.
double offered(const SwitchTree& tree, std::size_t group) {
    const std::vector<int> parent = parents(tree);
    const std::vector<int> switches = switch_of(tree);
    const auto plugged_into = [&](int place) {
        double total = 0;
        for (std::size_t machine = 0; machine < switches.size(); ++machine) {
            total += switches[machine] == place ? tree.ports[machine] : 0;
        }
        for (std::size_t other = 0; other < tree.groups.size(); ++other) {
            const double most = tree.groups[other].bytes_per_second > 0
                                    ? tree.groups[other].bytes_per_second
                                    : port * static_cast<double>(tree.groups[other].machines.size());
            total += parent[other] == place && other != group ? most : 0;
        }
        if (place >= 0 && place != static_cast<int>(group)) {
            const double up = tree.groups[static_cast<std::size_t>(place)].bytes_per_second;
            total += up > 0 ? up : port;
        }
        return total;
    };
    return std::min(plugged_into(static_cast<int>(group)), plugged_into(parent[group]));
}

/// Machines in random order behind switches nested at random, each link with a third to three quarters of what flows at
/// random and what is plugged in at its ends offer it.
SwitchTree random_tree(std::mt19937_64& random, Machine machines) {
    std::vector<Machine> order = row(1, machines - 1);
    for (std::size_t left = order.size(); left > 1; --left) {
        std::swap(order[left - 1], order[random() % left]);
    }
    SwitchTree tree = tree_of(machines, {});
    const std::size_t cuts = 2 + random() % 4;
    for (std::size_t cut = 0; cut < cuts; ++cut) {
        const std::size_t length = 2 + random() % (order.size() / 2);
        const std::size_t first = random() % (order.size() - length + 1);
        std::vector<Machine> members(order.begin() + static_cast<std::ptrdiff_t>(first),
                                     order.begin() + static_cast<std::ptrdiff_t>(first + length));
        std::sort(members.begin(), members.end());
        if (fits_into(tree, members)) {
            add_group(tree, {members, 0});
        }
    }
    // Small groups first: what a link can be offered depends on those below it and beside it.
    for (int turn = 0; turn < 3; ++turn) {
        for (std::size_t group = tree.groups.size(); group-- > 0;) {
            const double share = 0.3 + 0.45 * static_cast<double>(random() % 1000) / 1000;
            const auto inside = static_cast<double>(tree.groups[group].machines.size());
            const double at_random = inside * (machines - inside) / (machines - 1) * port;
            tree.groups[group].bytes_per_second = share * std::min(at_random, offered(tree, group));
        }
    }
    return tree;
}

TEST(Explorer, FindsRandomTreesWhateverTheOrderOfTheMachines) {
    constexpr std::uint64_t trees = 60;
    int found = 0;
    double index = 0;
    for (std::uint64_t seed = 1; seed <= trees; ++seed) {
        std::mt19937_64 random(seed);
        const SwitchTree truth = random_tree(random, static_cast<Machine>(12 + random() % 29));
        const Findings findings = explore({truth}, seed);
        index += adjusted_rand_index(switch_of(findings.tree), switch_of(truth)) / trees;
        if (same_groups(findings.tree, truth)) {
            ++found;
            expect_found(findings, truth, fmt::format("seed {}", seed));
        }
    }
    EXPECT_GE(index, 0.98);
    EXPECT_GE(found, 0.9 * trees);
}

/// Racks of 16 at two to one, pods of four racks at two to one again; the machines as `order` has them.
SwitchTree racks_and_pods(const std::vector<Machine>& order) {
    std::vector<std::pair<std::vector<Machine>, double>> groups;
    const auto add = [&](std::size_t length, double ports) {
        for (auto first = order.begin(); first != order.end(); first += static_cast<std::ptrdiff_t>(length)) {
            std::vector<Machine> members(first, first + static_cast<std::ptrdiff_t>(length));
            std::sort(members.begin(), members.end());
            if (members.front() != 0) {
                groups.emplace_back(std::move(members), ports);
            }
        }
    };
    add(16, 8);
    add(64, 16);
    return tree_of(static_cast<Machine>(order.size()), groups);
}

TEST(Explorer, FindsRacksAndPodsAmong256Machines) {
    const SwitchTree truth = racks_and_pods(row(0, 255));
    const Findings found = explore({truth}, 3);
    expect_found(found, truth, fmt::format("{} rounds", found.rounds));
    EXPECT_LT(found.rounds, 300);
}

TEST(Explorer, FindsRacksAndPodsOfShuffledMachines) {
    std::vector<Machine> order = row(0, 127);
    std::mt19937_64 random(1);
    for (std::size_t left = order.size(); left > 1; --left) {
        std::swap(order[left - 1], order[random() % left]);
    }
    const SwitchTree truth = racks_and_pods(order);
    const Findings found = explore({truth}, 1);
    expect_found(found, truth, fmt::format("{} rounds", found.rounds));
    EXPECT_LT(found.rounds, 400);
}

TEST(Explorer, MachinesThatAreTooBusyTogetherAreNoLink) {
    Truth truth{tree_of(16, {{row(4, 15), 1}, {row(8, 15), 1}, {row(12, 15), 1}})};
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        for (const double most : {10, 13}) {
            truth.most_at_once = most * port;
            const Findings found = explore(truth, seed);
            expect_found(found, truth.tree, fmt::format("{} ports at once, seed {}", most, seed));
            for (const double speed : found.tree.ports) {
                EXPECT_NEAR(speed / port, 1, 0.06);
            }
        }
    }
}

TEST(Explorer, WhatManyStreamsLoseIsNoLink) {
    // As in a network that two processors emulate: the more streams, the more of them are slower than they would be
    // alone, some by far. A dozen groups of machines seem to be behind links, others in each run.
    Truth truth{.tree = tree_of(16, {{row(4, 15), 1}, {row(8, 15), 1}, {row(12, 15), 1}}), .busy = 0.8};
    truth.most_at_once = 11 * port;
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        const Findings found = explore(truth, seed);
        expect_found(found, truth.tree, fmt::format("seed {}, {} rounds", seed, found.rounds));
        EXPECT_LT(found.rounds, 250);
    }
}

TEST(Explorer, SeesNoSwitchesWhereThereAreNone) {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        for (const Machine machines : {2, 3, 5, 24}) {
            const Findings found = explore({.tree = tree_of(machines, {}), .held_up = 0.1}, seed);
            EXPECT_TRUE(found.tree.groups.empty()) << machines << " machines, seed " << seed;
            for (const double speed : found.tree.ports) {
                EXPECT_NEAR(speed / port, 1, 0.1);
            }
        }
    }
}

/// Round trips over a tree: what each machine takes, and 2 µs for each link between switches.
RoundTrips trips_over(const SwitchTree& tree, double scatter, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::exponential_distribution<double> more(1 / scatter);
    const std::size_t machines = tree.ports.size();
    std::vector<double> own(machines);
    for (double& seconds : own) {
        seconds = 8e-6 + more(random);
    }
    const auto matrix = [&] {
        std::vector<double> trips(machines * machines, 0);
        for (std::size_t one = 0; one < machines; ++one) {
            for (std::size_t other = 0; other < one; ++other) {
                double seconds = own[one] + own[other] + more(random);
                for (const Group& group : tree.groups) {
                    const auto has = [&](std::size_t machine) {
                        return std::binary_search(group.machines.begin(), group.machines.end(),
                                                  static_cast<Machine>(machine));
                    };
                    seconds += has(one) != has(other) ? 2e-6 : 0;
                }
                trips[one * machines + other] = trips[other * machines + one] = seconds;
            }
        }
        return trips;
    };
    auto first = matrix();
    return {std::move(first), matrix()};
}

TEST(Explorer, SeesByLatencyWhatNoFlowsFill) {
    // The outer links carry just what four ports send.
    const SwitchTree truth = tree_of(16, {{row(4, 15), 4}, {row(8, 15), 4}, {row(12, 15), 4}});
    const Findings blind = explore({truth}, 1);
    EXPECT_EQ(blind.tree.groups.size(), 1U);
    const Findings found = explore({truth}, 1, trips_over(truth, 2e-7, 1));
    expect_found(found, truth, "with latency");
    EXPECT_EQ(found.seen_by_latency_alone, 2);
    for (const Group& group : found.tree.groups) {
        const bool by_latency = group.evidence == Evidence::latency;
        EXPECT_EQ(by_latency, group.machines.size() != 8);
        EXPECT_TRUE(!by_latency || group.quartets_agree > 0.95) << group.quartets_agree;
    }
    EXPECT_TRUE(found.hinted.empty());
    // Each round trip is off by half a hop, and all quartets agree.
    expect_found(explore({truth}, 1, trips_over(truth, 1e-6, 1)), truth, "with noise");
    // What is not clear is not in the tree, but said.
    const Findings hinted = explore({truth}, 3, trips_over(truth, 3e-6, 3));
    EXPECT_EQ(hinted.tree.groups.size(), 1U);
    ASSERT_FALSE(hinted.hinted.empty());
    EXPECT_THAT(hinted.hinted.front().machines, testing::AnyOf(row(4, 15), row(12, 15)));
    // Noise of more than two hops shows nothing, and does no harm; nor does it make switches where there are none.
    const SwitchTree one_switch = tree_of(16, {});
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        for (const LatencySplit& split : splits_by_latency(trips_over(one_switch, 1e-6, seed), 16)) {
            EXPECT_FALSE(split.clear) << "seed " << seed << ", " << split.quartets_agree;
        }
    }
    const Findings noisy = explore({truth}, 1, trips_over(truth, 5e-6, 1));
    EXPECT_EQ(noisy.tree.groups.size(), 1U);
}

}  // namespace
}  // namespace aapc::discovery
