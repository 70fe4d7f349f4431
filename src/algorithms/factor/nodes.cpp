#include "algorithms/factor/nodes.hpp"

#include <algorithm>

#include "topology/switch_of.hpp"

namespace aapc::factor {

namespace {

/// The ranks of each machine that takes part, ascending.
std::vector<std::vector<Rank>> ranks_by_machine(const Placement& placement) {
    const auto last = std::max_element(placement.machine_of.begin(), placement.machine_of.end());
    std::vector<std::vector<Rank>> ranks(last == placement.machine_of.end() ? 0 : static_cast<std::size_t>(*last) + 1);
    for (Rank rank = 0; rank < placement.participants(); ++rank) {
        ranks[static_cast<std::size_t>(placement.machine_of[static_cast<std::size_t>(rank)])].push_back(rank);
    }
    std::erase_if(ranks, [](const std::vector<Rank>& of_machine) { return of_machine.empty(); });
    return ranks;
}

/// A vertex as reached from its parent; parents come before their children.
struct Reached {
    Vertex vertex;
    Vertex parent;
};

std::vector<Reached> reached_from_first(const Network& network) {
    std::vector<bool> reached(network.vertices().size(), false);
    std::vector<Reached> order{{0, -1}};
    reached[0] = true;
    for (std::size_t next = 0; next < order.size(); ++next) {
        const Vertex vertex = order[next].vertex;
        for (const std::int32_t link : network.links_at(vertex)) {
            const Vertex end = network.other_end(link, vertex);
            if (!reached[static_cast<std::size_t>(end)]) {
                reached[static_cast<std::size_t>(end)] = true;
                order.push_back({end, vertex});
            }
        }
    }
    return order;
}

}  // namespace

std::vector<std::int32_t> Nodes::sizes() const {
    std::vector<std::int32_t> sizes;
    sizes.reserve(ranks_of.size());
    for (const std::vector<Rank>& ranks : ranks_of) {
        sizes.push_back(static_cast<std::int32_t>(ranks.size()));
    }
    return sizes;
}

Nodes place_ranks(const Placement& placement, std::int32_t nodes_per_machine) {
    Nodes nodes;
    for (const std::vector<Rank>& ranks : ranks_by_machine(placement)) {
        const auto parts = std::min(ranks.size(), static_cast<std::size_t>(nodes_per_machine));
        for (std::size_t part = 0; part < parts; ++part) {
            const auto first = static_cast<std::ptrdiff_t>(part * ranks.size() / parts);
            const auto last = static_cast<std::ptrdiff_t>((part + 1) * ranks.size() / parts);
            nodes.ranks_of.emplace_back(ranks.begin() + first, ranks.begin() + last);
        }
    }
    std::sort(nodes.ranks_of.begin(), nodes.ranks_of.end());
    nodes.seat_of.resize(placement.machine_of.size());
    for (std::size_t node = 0; node < nodes.ranks_of.size(); ++node) {
        std::int32_t index = 0;
        for (const Rank rank : nodes.ranks_of[node]) {
            nodes.seat_of[static_cast<std::size_t>(rank)] = {static_cast<std::int32_t>(node), index++};
        }
    }
    return nodes;
}

bool machines_never_meet(const Network& network, const Placement& placement) {
    if (!is_tree(network.kind())) {
        return false;
    }
    std::vector<std::int32_t> below(network.vertices().size(), 0);
    for (const Machine machine : placement.machine_of) {
        const Vertex vertex = network.machines()[static_cast<std::size_t>(machine)].vertex;
        if (network.links_at(vertex).size() > 1) {
            return false;  // others' messages may pass through the machine
        }
        below[static_cast<std::size_t>(vertex)] = 1;
    }
    const auto machines = std::count(below.begin(), below.end(), 1);
    const std::vector<Reached> order = reached_from_first(network);
    for (auto visit = order.rbegin(); visit != order.rend() && visit->parent >= 0; ++visit) {
        const std::int32_t here = below[static_cast<std::size_t>(visit->vertex)];
        if (here > 1 && machines - here > 1) {
            return false;
        }
        below[static_cast<std::size_t>(visit->parent)] += here;
    }
    return true;
}

std::vector<Vertex> switch_of_machine(const Network& network) {
    std::vector<Vertex> switches;
    switches.reserve(network.machines().size());
    for (std::size_t machine = 0; machine < network.machines().size(); ++machine) {
        switches.push_back(switch_of(network, static_cast<Machine>(machine)));
    }
    return switches;
}

}  // namespace aapc::factor
