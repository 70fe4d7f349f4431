#include "aapc/topology/bound.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "aapc/topology/fabric.hpp"
#include "aapc/topology/torus.hpp"
#include "input/enumerator_names.hpp"
#include "topology/torus_loads.hpp"

namespace aapc {

namespace {

constexpr EnumeratorNames<BoundKind, BoundKind::exact> bound_names({
    {BoundKind::only, "only"},
    {BoundKind::even, "even"},
    {BoundKind::exact, "exact"},
});

void add_load(const Network& network, std::int32_t link, std::int64_t messages, Bound& bound) {
    if (messages > 0) {
        const double speed = network.links()[static_cast<std::size_t>(link)].bits_per_second;
        bound.links.push_back({link, messages, speed > 0 ? 8.0 * static_cast<double>(messages) / speed : 0});
    }
}

/// Sorts links, which are in ascending order of their numbers, by what is the same for many: O(links) if they have few
/// different loads, as in a regular fabric. False, and nothing is changed, if they have many.
bool sort_few_loads(std::vector<LinkLoad>& links) {
    constexpr std::size_t most_loads = 16;
    const auto goes_before = [](const LinkLoad& left, const LinkLoad& right) {
        return left.seconds_per_byte != right.seconds_per_byte
                   ? left.seconds_per_byte > right.seconds_per_byte
                   : left.seconds_per_byte <= 0 && left.messages > right.messages;
    };
    std::vector<LinkLoad> loads;  // one of each kind, in order
    std::vector<std::size_t> counts;
    const auto kind_of = [&](const LinkLoad& load) {
        return static_cast<std::size_t>(std::lower_bound(loads.begin(), loads.end(), load, goes_before) -
                                        loads.begin());
    };
    for (std::size_t next = 0; next < links.size(); ++next) {
        const std::size_t kind = kind_of(links[next]);
        if (kind == loads.size() || goes_before(links[next], loads[kind])) {
            if (loads.size() == most_loads) {
                return false;
            }
            loads.insert(loads.begin() + static_cast<std::ptrdiff_t>(kind), links[next]);
            counts.insert(counts.begin() + static_cast<std::ptrdiff_t>(kind), 0);
        }
        ++counts[kind];
        if (next > 0 && links[next - 1].link > links[next].link) {
            return false;
        }
    }
    std::vector<std::size_t> place(counts.size(), 0);
    for (std::size_t kind = 1; kind < counts.size(); ++kind) {
        place[kind] = place[kind - 1] + counts[kind - 1];
    }
    std::vector<LinkLoad> sorted(links.size());
    for (const LinkLoad& load : links) {
        sorted[place[kind_of(load)]++] = load;
    }
    links = std::move(sorted);
    return true;
}

void sort_loads(std::vector<LinkLoad>& links) {
    if (sort_few_loads(links)) {
        return;
    }
    std::sort(links.begin(), links.end(), [](const LinkLoad& left, const LinkLoad& right) {
        if (left.seconds_per_byte != right.seconds_per_byte) {
            return left.seconds_per_byte > right.seconds_per_byte;
        }
        const bool no_speeds = left.seconds_per_byte <= 0;
        return no_speeds && left.messages != right.messages ? left.messages > right.messages : left.link < right.link;
    });
}

/// Everything that follows from the loads of the links.
void complete(const Network& network, Bound& bound) {
    sort_loads(bound.links);
    double slowest = std::numeric_limits<double>::infinity();
    for (const LinkLoad& load : bound.links) {
        bound.messages = std::max(bound.messages, load.messages);
        bound.seconds_per_byte = std::max(bound.seconds_per_byte, load.seconds_per_byte);
        const Link& link = network.links()[static_cast<std::size_t>(load.link)];
        slowest = std::min(slowest, link.flow_bits_per_second());
        bound.latency_seconds = std::max(bound.latency_seconds, link.latency_seconds);
    }
    bound.slowest_bits_per_second = bound.links.empty() ? 0 : slowest;
}

}  // namespace

std::string_view to_string(BoundKind kind) { return bound_names[kind]; }

std::string_view bound_name(BoundKind kind) {
    switch (kind) {
        case BoundKind::even:
            return "even bound";
        case BoundKind::exact:
            return "exact bound";
        case BoundKind::only:
            break;
    }
    return "bound";
}

Bound tree_bound(const Network& network, const Placement& placement) {
    const std::int64_t participants = placement.participants();
    std::vector<std::int64_t> below(network.vertices().size(), 0);
    for (const Machine machine : placement.machine_of) {
        ++below[static_cast<std::size_t>(network.machines()[static_cast<std::size_t>(machine)].vertex)];
    }
    // Vertices with the link to their parent, parents first. Marked, so that a graph with circles is no endless tree.
    std::vector<bool> reached(network.vertices().size(), false);
    std::vector<std::pair<Vertex, std::int32_t>> order{{0, -1}};
    for (std::size_t next = 0; next < order.size(); ++next) {
        const auto [vertex, link_to_parent] = order[next];
        for (const std::int32_t link : network.links_at(vertex)) {
            const Vertex child = network.other_end(link, vertex);
            if (link != link_to_parent && !reached[static_cast<std::size_t>(child)]) {
                reached[static_cast<std::size_t>(child)] = true;
                order.emplace_back(child, link);
            }
        }
    }
    Bound bound;
    bound.messages = std::max<std::int64_t>(participants - 1, 0);
    for (auto entry = order.rbegin(); entry != order.rend(); ++entry) {
        const auto [vertex, link] = *entry;
        if (link < 0) {
            continue;
        }
        const std::int64_t side = below[static_cast<std::size_t>(vertex)];
        below[static_cast<std::size_t>(network.other_end(link, vertex))] += side;
        add_load(network, link, side * (participants - side), bound);
    }
    complete(network, bound);
    return bound;
}

Bound torus_bound(const Network& network, const Placement& placement) {
    Bound bound;
    bound.messages = std::max<std::int64_t>(std::int64_t{placement.participants()} - 1, 0);
    if (const std::optional<TorusWiring> wiring = TorusWiring::find(network)) {
        const std::vector<std::int64_t> loads = torus_loads(network, placement, *wiring);
        for (std::size_t link = 0; link < network.links().size(); ++link) {
            add_load(network, static_cast<std::int32_t>(link), std::max(loads[2 * link], loads[2 * link + 1]), bound);
        }
    }
    complete(network, bound);
    return bound;
}

namespace {

/// Walks along static routes that a bound may take, some 20 ns each.
constexpr std::size_t most_static_walks = 50'000'000;

/// The loads of a fabric, and which bound they give; empty where it is none.
std::vector<double> fabric_loads(const Network& network, const Placement& placement, BoundKind& kind) {
    kind = BoundKind::even;
    std::optional<RegularLoads> regular = regular_loads(network, placement);
    // What is regular hangs together. Tables may be wrong nevertheless.
    if ((!regular || !network.forwarding().table.empty()) && FabricRoutes::mistake_in(network)) {
        return {};
    }
    const bool is_static = network.forwarding().paths == FabricPaths::static_;
    if (regular && !is_static) {
        return std::move(regular->even);
    }
    if (regular && regular->modulo_is_even) {
        kind = BoundKind::exact;
        return std::move(regular->even);
    }
    const std::size_t switches = network.vertices().size() - network.machines().size();
    if (is_static && (!regular || switches * network.machines().size() <= most_static_walks)) {
        kind = BoundKind::exact;
    }
    if (kind == BoundKind::even && regular) {
        return std::move(regular->even);
    }
    const auto routes = FabricRoutes::find(network);
    return kind == BoundKind::exact ? static_loads(network, *routes, placement)
                                    : even_loads(network, *routes, placement);
}

}  // namespace

Bound fabric_bound(const Network& network, const Placement& placement) {
    Bound bound;
    bound.messages = std::max<std::int64_t>(std::int64_t{placement.participants()} - 1, 0);
    const std::vector<double> loads = fabric_loads(network, placement, bound.kind);
    bound.links.reserve(loads.size() / 2);
    for (std::size_t link = 0; 2 * link < loads.size(); ++link) {
        const double messages = std::max(loads[2 * link], loads[2 * link + 1]);
        // Shares are sums of fractions: what is a whole number except for rounding is that number.
        const auto whole = static_cast<std::int64_t>(std::ceil(messages - 1e-6));
        add_load(network, static_cast<std::int32_t>(link), whole, bound);
        if (whole > 0 && bound.links.back().seconds_per_byte > 0) {
            bound.links.back().seconds_per_byte = 8 * messages / network.links()[link].bits_per_second;
        }
    }
    complete(network, bound);
    return bound;
}

Bound network_bound(const Network& network, const Placement& placement) {
    if (network.kind() == NetworkKind::fabric) {
        return fabric_bound(network, placement);
    }
    return network.kind() == NetworkKind::torus ? torus_bound(network, placement) : tree_bound(network, placement);
}

std::optional<std::string> faster_than_wires(double bound_seconds, double seconds, std::string_view file) {
    if (!(seconds > 0) || !(bound_seconds > incredible_over_bound * seconds)) {
        return std::nullopt;
    }
    return fmt::format("{:.2f} times as fast as the wires in {} allow: the speeds there are too low",
                       bound_seconds / seconds, file);
}

}  // namespace aapc
