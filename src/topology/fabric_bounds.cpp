// What an all-to-all puts on the cables of a fabric, and what a hash leaves of the even bound.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <random>
#include <unordered_map>

#include "aapc/topology/fabric.hpp"
#include "topology/fabric_links.hpp"

namespace aapc {

using fabrics::head;
using fabrics::index;

namespace {

std::vector<std::int64_t> ranks_of_leaves(const FabricRoutes& routes, const Placement& placement) {
    std::vector<std::int64_t> ranks(routes.leaves().size(), 0);
    for (const Machine machine : placement.machine_of) {
        ++ranks[index(routes.leaf_of(machine))];
    }
    return ranks;
}

/// What goes to one leaf: the switches in the order in which messages reach them, the farthest first, and the choices
/// of each.
class WaysToLeaf {
  public:
    WaysToLeaf(const Network& network, const FabricRoutes& routes, std::int32_t leaf) {
        for (std::size_t vertex = 0; vertex < network.vertices().size(); ++vertex) {
            if (routes.distance(leaf, static_cast<Vertex>(vertex)) > 0) {
                order.push_back(static_cast<Vertex>(vertex));
            }
        }
        std::stable_sort(order.begin(), order.end(), [&](Vertex left, Vertex right) {
            return routes.distance(leaf, left) > routes.distance(leaf, right);
        });
        begin.assign(network.vertices().size() + 1, 0);
        std::vector<DirectedLink> here;
        for (std::size_t vertex = 0; vertex < network.vertices().size(); ++vertex) {
            if (routes.distance(leaf, static_cast<Vertex>(vertex)) > 0) {
                routes.choices(static_cast<Vertex>(vertex), leaf, here);
                links.insert(links.end(), here.begin(), here.end());
            }
            begin[vertex + 1] = links.size();
        }
    }

    [[nodiscard]] std::span<const DirectedLink> choices(Vertex at) const {
        return std::span(links).subspan(begin[index(at)], begin[index(at) + 1] - begin[index(at)]);
    }

    std::vector<Vertex> order;

  private:
    std::vector<std::size_t> begin;
    std::vector<DirectedLink> links;
};

/// The loads of the links of machines, whatever the paths between switches.
std::vector<double> loads_of_machines(const Network& network, const FabricRoutes& routes, const Placement& placement) {
    std::vector<double> loads(2 * network.links().size(), 0);
    std::vector<std::int64_t> ranks(network.machines().size(), 0);
    for (const Machine machine : placement.machine_of) {
        ++ranks[index(machine)];
    }
    for (std::size_t machine = 0; machine < ranks.size(); ++machine) {
        const DirectedLink up = routes.up_from(static_cast<Machine>(machine));
        const auto messages = static_cast<double>(ranks[machine] * (placement.participants() - ranks[machine]));
        loads[index(up)] = loads[index(up ^ 1)] = messages;
    }
    return loads;
}

/// Adds what goes to each leaf, switch by switch: `share(number of messages, choices, add)` calls add(link, messages).
template <class Share>
std::vector<double> loads_by_leaf(const Network& network, const FabricRoutes& routes, const Placement& placement,
                                  Share share) {
    std::vector<double> loads = loads_of_machines(network, routes, placement);
    const std::vector<std::int64_t> ranks = ranks_of_leaves(routes, placement);
    std::vector<double> at(network.vertices().size(), 0);
    for (std::size_t leaf = 0; leaf < ranks.size(); ++leaf) {
        if (ranks[leaf] == 0) {
            continue;
        }
        const WaysToLeaf ways(network, routes, static_cast<std::int32_t>(leaf));
        std::fill(at.begin(), at.end(), 0);
        for (std::size_t source = 0; source < ranks.size(); ++source) {
            at[index(routes.leaves()[source])] = static_cast<double>(ranks[source] * ranks[leaf]);
        }
        for (const Vertex here : ways.order) {
            if (at[index(here)] > 0) {
                share(at[index(here)], ways.choices(here), [&](DirectedLink link, double messages) {
                    loads[index(link)] += messages;
                    at[index(head(network, link))] += messages;
                });
            }
        }
    }
    return loads;
}

double bound_of(const Network& network, const std::vector<double>& loads) {
    double bound = 0;
    for (std::size_t link = 0; link < loads.size(); ++link) {
        if (loads[link] > 0) {
            bound = std::max(bound, 8 * loads[link] / network.links()[link / 2].bits_per_second);
        }
    }
    return bound;
}

/// The number of messages on a cable: a sum of independent choices.
struct Chance {
    double mean = 0;
    double variance = 0;
    double third = 0;  ///< third central moment
    /// Of which choices bring each message here: the same for cables that always carry the same messages, such as the
    /// cables to and from a spine between two leaves.
    std::uint64_t choices = 0;

    void add(double messages, double probability) {
        mean += messages * probability;
        variance += messages * probability * (1 - probability);
        third += messages * probability * (1 - probability) * (1 - 2 * probability);
    }
    /// P(X > x).
    [[nodiscard]] double beyond(double x) const {
        const double deviation = std::sqrt(variance);
        const double z = (x - mean) / deviation;
        const double skewness = third / (variance * deviation);
        const double density = std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
        return std::clamp(std::erfc(z / std::numbers::sqrt2) / 2 + skewness / 6 * (z * z - 1) * density, 0.0, 1.0);
    }
};

std::vector<Chance> chances_of(const Network& network, const FabricRoutes& routes, const Placement& placement) {
    std::vector<Chance> chances(2 * network.links().size());
    const std::vector<double> of_machines = loads_of_machines(network, routes, placement);
    for (std::size_t link = 0; link < chances.size(); ++link) {
        chances[link].mean = of_machines[link];
    }
    const std::vector<std::int64_t> ranks = ranks_of_leaves(routes, placement);
    std::vector<double> probability(network.vertices().size(), 0);
    std::vector<std::uint64_t> chosen(network.vertices().size(), 0);
    for (std::size_t leaf = 0; leaf < ranks.size(); ++leaf) {
        const WaysToLeaf ways(network, routes, static_cast<std::int32_t>(leaf));
        for (std::size_t source = 0; source < ranks.size(); ++source) {
            if (source == leaf || ranks[source] == 0 || ranks[leaf] == 0) {
                continue;
            }
            const auto messages = static_cast<double>(ranks[source] * ranks[leaf]);
            const Vertex start = routes.leaves()[source];
            std::vector<Vertex> reached{start};
            probability[index(start)] = 1;
            chosen[index(start)] =
                connection_key(0, static_cast<std::int32_t>(source), static_cast<std::int32_t>(leaf));
            for (std::size_t next = 0; next < reached.size(); ++next) {  // breadth first: all ways are equally long
                const Vertex at = reached[next];
                const auto choices = ways.choices(at);
                // Parallel cables and cables to one switch count together towards what reaches it.
                for (const DirectedLink link : choices) {
                    const double here = probability[index(at)] / static_cast<double>(choices.size());
                    const std::uint64_t choice =
                        choices.size() == 1 ? chosen[index(at)] : connection_key(chosen[index(at)], link, -1);
                    chances[index(link)].add(messages, here);
                    chances[index(link)].choices += choice;
                    const Vertex end = head(network, link);
                    if (probability[index(end)] == 0) {
                        reached.push_back(end);
                    }
                    probability[index(end)] += here;
                    chosen[index(end)] += choice;
                }
            }
            for (const Vertex vertex : reached) {
                probability[index(vertex)] = 0;
                chosen[index(vertex)] = 0;
            }
        }
    }
    return chances;
}

/// Cables among which the same switch chooses, or that lead into one: one of them is fuller than a level with the sum
/// of their probabilities, since what is on one is not on the others.
struct CableSet {
    std::vector<std::pair<Chance, double>> cables;  ///< with the speed in bytes a second

    /// Whether it has as many cables as the other and each differs by rounding at most.
    [[nodiscard]] bool is_like(const CableSet& other) const {
        const auto near = [](double left, double right) {
            return std::abs(left - right) <= 1e-9 * std::abs(left) + 1e-9;
        };
        return std::equal(cables.begin(), cables.end(), other.cables.begin(), other.cables.end(),
                          [&](const auto& left, const auto& right) {
                              return near(left.first.mean, right.first.mean) &&
                                     near(left.first.variance, right.first.variance) &&
                                     near(left.first.third, right.first.third) && left.second == right.second;
                          });
    }
};

/// P(no cable needs longer than `seconds`).
double chance_within(const std::vector<std::pair<CableSet, double>>& kinds, double seconds) {
    double within = 1;
    for (const auto& [set, count] : kinds) {
        double beyond = 0;
        for (const auto& [chance, speed] : set.cables) {
            beyond += chance.beyond(seconds * speed);
        }
        within *= std::pow(std::max(0.0, 1 - beyond), count);
    }
    return within;
}

constexpr int draws_of_worst = 20;
/// What `aapc topology` samples, and how much work that may be: link loads added, some 50 ns each.
constexpr int most_draws = 200;
constexpr std::size_t most_loads_drawn = 10'000'000;
/// The formula looks at all pairs of these.
constexpr std::size_t most_leaves = 512;

bool has_bundles(const Network& network) {
    return is_tree(network.kind()) && std::any_of(network.links().begin(), network.links().end(),
                                                  [](const Link& link) { return link.cables > 1; });
}

}  // namespace

std::vector<double> even_loads(const Network& network, const FabricRoutes& routes, const Placement& placement) {
    return loads_by_leaf(network, routes, placement,
                         [](double messages, std::span<const DirectedLink> choices, const auto& add) {
                             for (const DirectedLink link : choices) {
                                 add(link, messages / static_cast<double>(choices.size()));
                             }
                         });
}

std::vector<double> hashed_loads(const Network& network, const FabricRoutes& routes, const Placement& placement,
                                 std::uint64_t draw) {
    std::mt19937_64 generator(connection_key(draw, -1, -1));
    return loads_by_leaf(
        network, routes, placement, [&](double messages, std::span<const DirectedLink> choices, const auto& add) {
            auto left = static_cast<std::int64_t>(messages);
            for (std::size_t choice = 0; choice < choices.size(); ++choice) {
                const double share = 1.0 / static_cast<double>(choices.size() - choice);
                const std::int64_t here = choice + 1 == choices.size()
                                              ? left
                                              : std::binomial_distribution<std::int64_t>(left, share)(generator);
                left -= here;
                if (here > 0) {
                    add(choices[choice], static_cast<double>(here));
                }
            }
        });
}

void visit_static_routes(const Network& network, const FabricRoutes& routes, const Placement& placement,
                         const VisitRoute& visit) {
    const std::vector<std::int64_t> ranks = ranks_of_leaves(routes, placement);
    std::vector<bool> has_ranks(network.machines().size(), false);
    for (const Machine machine : placement.machine_of) {
        has_ranks[index(machine)] = true;
    }
    std::vector<std::vector<Machine>> machines_of(ranks.size());
    for (std::size_t machine = 0; machine < has_ranks.size(); ++machine) {
        if (has_ranks[machine]) {
            machines_of[index(routes.leaf_of(static_cast<Machine>(machine)))].push_back(static_cast<Machine>(machine));
        }
    }
    std::vector<DirectedLink> route;
    for (std::size_t leaf = 0; leaf < ranks.size(); ++leaf) {
        if (ranks[leaf] == 0) {
            continue;
        }
        const WaysToLeaf ways(network, routes, static_cast<std::int32_t>(leaf));
        const Vertex target = routes.leaves()[leaf];
        for (const Machine to : machines_of[leaf]) {
            for (std::size_t source = 0; source < ranks.size(); ++source) {
                if (source == leaf || ranks[source] == 0) {
                    continue;
                }
                route.clear();
                for (Vertex at = routes.leaves()[source]; at != target;) {
                    route.push_back(routes.chosen(at, to, ways.choices(at)));
                    at = head(network, route.back());
                }
                visit(static_cast<std::int32_t>(source), to, route);
            }
        }
    }
}

std::vector<double> static_loads(const Network& network, const FabricRoutes& routes, const Placement& placement) {
    std::vector<double> loads = loads_of_machines(network, routes, placement);
    const std::vector<std::int64_t> ranks = ranks_of_leaves(routes, placement);
    std::vector<std::int64_t> ranks_on(network.machines().size(), 0);
    for (const Machine machine : placement.machine_of) {
        ++ranks_on[index(machine)];
    }
    visit_static_routes(network, routes, placement,
                        [&](std::int32_t leaf, Machine to, std::span<const DirectedLink> route) {
                            const auto messages = static_cast<double>(ranks[index(leaf)] * ranks_on[index(to)]);
                            for (const DirectedLink link : route) {
                                loads[index(link)] += messages;
                            }
                        });
    return loads;
}

ExpectedBound expected_bound(const Network& network, const FabricRoutes& routes, const Placement& placement) {
    const std::vector<Chance> chances = chances_of(network, routes, placement);
    double certain = 0;  // what has no choice
    double last = 0;     // beyond it nothing happens
    std::unordered_map<std::uint64_t, double> speed_of;
    std::vector<CableSet> sets(2 * network.vertices().size());
    for (std::size_t link = 0; link < chances.size(); ++link) {
        const Chance& chance = chances[link];
        const Link& cable = network.links()[link / 2];
        const double speed = cable.bits_per_second / 8;
        if (chance.variance > 0) {
            const auto [slowest, is_first] = speed_of.try_emplace(chance.choices, speed);
            if (!is_first && slowest->second <= speed) {
                continue;  // it is full when that one is
            }
            slowest->second = speed;
            sets[2 * index(cable.lower) + link % 2].cables.emplace_back(chance, speed);
            last = std::max(last, (chance.mean + 10 * std::sqrt(chance.variance) + 10) / speed);
        } else if (chance.mean > 0) {
            certain = std::max(certain, chance.mean / speed);
        }
    }
    std::erase_if(sets, [](const CableSet& set) { return set.cables.empty(); });
    std::vector<std::pair<CableSet, double>> kinds;  // with how many there are
    for (CableSet& set : sets) {
        const auto same =
            std::find_if(kinds.begin(), kinds.end(), [&](const auto& kind) { return kind.first.is_like(set); });
        if (same != kinds.end()) {
            same->second += 1;
        } else {
            kinds.emplace_back(std::move(set), 1);
        }
    }
    ExpectedBound expected{certain, certain};
    // E[max] = certain + the integral of P(max > t), by the rule of the midpoint.
    constexpr int steps = 2000;
    const double step = std::max(0.0, last - certain) / steps;
    for (int number = 0; number < steps && step > 0; ++number) {
        const double within = chance_within(kinds, certain + (number + 0.5) * step);
        expected.mean += step * (1 - within);
        expected.worst += step * (1 - std::pow(within, draws_of_worst));
    }
    return expected;
}

ExpectedBound sampled_bound(const Network& network, const FabricRoutes& routes, const Placement& placement, int draws) {
    ExpectedBound sampled;
    double worst = 0;
    const int rounds = std::max(draws / draws_of_worst, 1);
    for (int draw = 0; draw < rounds * draws_of_worst; ++draw) {
        const double bound =
            bound_of(network, hashed_loads(network, routes, placement, static_cast<std::uint64_t>(draw)));
        sampled.mean += bound / (rounds * draws_of_worst);
        worst = std::max(worst, bound);
        if (draw % draws_of_worst == draws_of_worst - 1) {
            sampled.worst += worst / rounds;
            worst = 0;
        }
    }
    return sampled;
}

std::optional<HashedBounds> hashed_bounds(const Network& network, const Placement& placement) {
    const bool is_hashed = network.has_hashed_paths();
    const bool all_known = std::all_of(network.links().begin(), network.links().end(),
                                       [](const Link& link) { return link.bits_per_second > 0; });
    if (!all_known || (!is_hashed && !has_bundles(network))) {
        return std::nullopt;
    }
    const std::optional<Network> cables = is_hashed ? std::nullopt : std::optional(fabric_of_cables(network));
    const Network& fabric = is_hashed ? network : *cables;
    const auto routes = FabricRoutes::find(fabric);
    if (!routes || routes->leaves().size() > most_leaves) {
        return std::nullopt;
    }
    HashedBounds bounds;
    bounds.formula = expected_bound(fabric, *routes, placement);
    const std::size_t loads_of_a_draw = std::max<std::size_t>(routes->leaves().size() * fabric.links().size(), 1);
    const auto rounds = static_cast<int>(
        std::min<std::size_t>(most_loads_drawn / loads_of_a_draw / draws_of_worst, most_draws / draws_of_worst));
    if (rounds > 0) {
        bounds.draws = rounds * draws_of_worst;
        bounds.sampled = sampled_bound(fabric, *routes, placement, bounds.draws);
    }
    return bounds;
}

}  // namespace aapc
