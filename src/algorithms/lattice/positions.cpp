#include "algorithms/lattice/positions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "aapc/topology/fabric.hpp"

namespace aapc::lattice {

namespace {

/// The vertices of a tree depth first from vertex 0: a vertex' machines before its switches, each in file order, as
/// files that say nothing else number their ranks. Each vertex once, even if the graph is no tree.
std::vector<Vertex> depth_first(const Network& network) {
    const std::vector<NetworkVertex>& vertices = network.vertices();
    std::vector<bool> seen(vertices.size(), false);
    std::vector<Vertex> order;
    order.reserve(vertices.size());
    std::vector<Vertex> stack;
    if (!vertices.empty()) {
        stack.push_back(0);
        seen[0] = true;
    }
    std::vector<Vertex> children;
    while (!stack.empty()) {
        const Vertex vertex = stack.back();
        stack.pop_back();
        order.push_back(vertex);
        children.clear();
        for (const std::int32_t link : network.links_at(vertex)) {
            const Vertex end = network.other_end(link, vertex);
            if (!seen[static_cast<std::size_t>(end)]) {
                seen[static_cast<std::size_t>(end)] = true;
                children.push_back(end);
            }
        }
        std::sort(children.begin(), children.end(), [&](Vertex left, Vertex right) {
            const bool left_switch = vertices[static_cast<std::size_t>(left)].is_switch;
            const bool right_switch = vertices[static_cast<std::size_t>(right)].is_switch;
            return left_switch != right_switch ? right_switch : left < right;
        });
        stack.insert(stack.end(), children.rbegin(), children.rend());
    }
    return order;
}

/// By vertex: its place in the order; -1 where it has none.
std::vector<std::int32_t> order_of_vertices(const Network& network, FabricOrder order) {
    if (network.kind() == NetworkKind::fabric && order == FabricOrder::depth_first) {
        std::vector<std::int32_t> place(network.vertices().size(), -1);
        std::int32_t next = 0;
        for (const Machine machine : depth_first_by_cuts(network)) {
            place[static_cast<std::size_t>(network.machines()[static_cast<std::size_t>(machine)].vertex)] = next++;
        }
        return place;
    }
    std::vector<std::int32_t> place(network.vertices().size(), -1);
    if (!is_tree(network.kind())) {
        for (std::size_t machine = 0; machine < network.machines().size(); ++machine) {
            place[static_cast<std::size_t>(network.machines()[machine].vertex)] = static_cast<std::int32_t>(machine);
        }
        return place;
    }
    std::int32_t next = 0;
    for (const Vertex vertex : depth_first(network)) {
        place[static_cast<std::size_t>(vertex)] = next++;
    }
    return place;
}

}  // namespace

Seats seat_ranks(const Network& network, const Placement& placement, const Positions& positions) {
    struct Rider {
        std::int32_t of_machine;  ///< how many ranks of its machine come before it
        Position position;
    };
    std::vector<std::int32_t> seen(network.machines().size(), 0);
    std::vector<std::int32_t> number(network.vertices().size(), -1);
    Seats seats;
    std::vector<Rider> order;
    for (const Rank rank : positions.rank_at) {
        const auto machine = static_cast<std::size_t>(placement.machine_of[static_cast<std::size_t>(rank)]);
        const Vertex vertex = network.machines()[machine].vertex;
        const auto at = static_cast<std::size_t>(network.other_end(network.links_at(vertex).front(), vertex));
        if (number[at] < 0) {
            number[at] = static_cast<std::int32_t>(seats.ranks_at.size());
            seats.ranks_at.push_back(0);
        }
        order.push_back({seen[machine]++, static_cast<Position>(order.size())});
        seats.by_position.push_back({number[at], 0});
    }
    std::stable_sort(order.begin(), order.end(),
                     [](const Rider& left, const Rider& right) { return left.of_machine < right.of_machine; });
    for (const Rider& rider : order) {
        Seat& seat = seats.by_position[static_cast<std::size_t>(rider.position)];
        seat.place = seats.ranks_at[static_cast<std::size_t>(seat.at)]++;
    }
    return seats;
}

Expected<Positions> place_ranks(const Network& network, const Placement& placement, FabricOrder order) {
    const std::vector<std::int32_t> place = order_of_vertices(network, order);
    const auto vertex_of = [&](Rank rank) {
        const Machine machine = placement.machine_of[static_cast<std::size_t>(rank)];
        return static_cast<std::size_t>(network.machines()[static_cast<std::size_t>(machine)].vertex);
    };
    // Counting sort by the place of the rank's vertex: stable, so ranks of a machine stay in ascending order.
    std::vector<std::int32_t> next(network.vertices().size() + 1, 0);
    for (Rank rank = 0; rank < placement.participants(); ++rank) {
        const std::int32_t at = place[vertex_of(rank)];
        if (at < 0) {
            return failure(
                fmt::format("machine '{}' is connected to nothing", network.vertices()[vertex_of(rank)].name),
                "describe a network in which all machines are connected");
        }
        ++next[static_cast<std::size_t>(at) + 1];
    }
    std::partial_sum(next.begin(), next.end(), next.begin());
    Positions positions;
    positions.position_of.resize(static_cast<std::size_t>(placement.participants()));
    positions.rank_at.resize(positions.position_of.size());
    for (Rank rank = 0; rank < placement.participants(); ++rank) {
        const Position position = next[static_cast<std::size_t>(place[vertex_of(rank)])]++;
        positions.position_of[static_cast<std::size_t>(rank)] = position;
        positions.rank_at[static_cast<std::size_t>(position)] = rank;
    }
    return positions;
}

}  // namespace aapc::lattice
