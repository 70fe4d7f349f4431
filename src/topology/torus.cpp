#include "aapc/topology/torus.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <utility>

namespace aapc {

namespace {

/// Whether a ring of that side has a link from the machine at `coordinate` to the next one up that no other machine
/// has.
bool owns_link(std::int32_t side, std::int32_t coordinate) { return side > 2 || (side == 2 && coordinate == 0); }

std::size_t links_of(const TorusGrid& grid) {
    std::size_t links = 0;
    for (const std::int32_t side : grid.sides()) {
        const std::size_t links_of_ring = side == 2 ? 1 : static_cast<std::size_t>(side);
        links += static_cast<std::size_t>(grid.machines() / side) * links_of_ring;
    }
    return links;
}

/// Every way to write `machines` as a product of at most `left` sides of 2 or more, in order.
void append_sides(std::int32_t machines, std::size_t left, std::vector<std::int32_t>& sides,
                  std::vector<std::vector<std::int32_t>>& out) {
    if (machines == 1) {
        out.push_back(sides);
        return;
    }
    for (std::int32_t side = 2; left > 0 && side <= machines; ++side) {
        if (machines % side == 0 && (left > 1 || side == machines)) {
            sides.push_back(side);
            append_sides(machines / side, left - 1, sides, out);
            sides.pop_back();
        }
    }
}

}  // namespace

Network torus_network(const std::vector<std::int32_t>& sides, const std::vector<TorusMachine>& machines,
                      double bits_per_second, std::int64_t buffer_bytes, std::int32_t mtu_bytes) {
    const TorusGrid grid(sides);
    std::vector<NetworkVertex> vertices;
    std::vector<NetworkMachine> numbered;
    std::vector<Link> links;
    for (Machine machine = 0; machine < grid.machines(); ++machine) {
        const TorusMachine& declared = machines[static_cast<std::size_t>(machine)];
        vertices.push_back({declared.name, false});
        numbered.push_back({machine, declared.ranks});
        for (std::size_t dimension = 0; dimension < grid.dimensions(); ++dimension) {
            if (owns_link(grid.side(dimension), grid.coordinate(machine, dimension))) {
                Link& link = links.emplace_back();
                link.lower = machine;
                link.upper = grid.moved(machine, dimension, 1);
                link.bits_per_second = bits_per_second;
                link.lower_buffer_bytes = buffer_bytes;
                link.upper_buffer_bytes = buffer_bytes;
            }
        }
    }
    return {NetworkKind::torus, std::move(vertices), std::move(links), std::move(numbered), mtu_bytes};
}

TorusGrid::TorusGrid(std::vector<std::int32_t> sides)
    : sides_(std::move(sides)),
      strides_(sides_.size(), 1),
      machines_(std::accumulate(sides_.begin(), sides_.end(), 1, std::multiplies<>())) {
    for (std::size_t dimension = sides_.size(); dimension-- > 1;) {
        strides_[dimension - 1] = strides_[dimension] * sides_[dimension];
    }
}

Machine TorusGrid::moved(Machine machine, std::size_t dimension, std::int32_t hops) const {
    const std::int32_t here = coordinate(machine, dimension);
    const std::int32_t there = ((here + hops) % sides_[dimension] + sides_[dimension]) % sides_[dimension];
    return machine + (there - here) * strides_[dimension];
}

std::int32_t TorusGrid::hops(std::size_t dimension, std::int32_t from, std::int32_t to) const {
    const std::int32_t side = sides_[dimension];
    const std::int32_t upward = (to - from + side) % side;
    if (2 * upward != side) {
        return 2 * upward < side ? upward : upward - side;
    }
    const std::int32_t quarter = 4 * from / side;
    return quarter % 2 == 0 ? upward : -upward;
}

std::string TorusGrid::text() const {
    return sides_.empty() ? "1 machine" : fmt::format("{}", fmt::join(sides_, " x "));
}

std::optional<TorusWiring> TorusWiring::find(const Network& network) {
    const std::vector<NetworkMachine>& machines = network.machines();
    if (machines.empty() || machines.size() != network.vertices().size()) {
        return std::nullopt;
    }
    std::vector<std::vector<std::int32_t>> candidates;
    std::vector<std::int32_t> sides;
    append_sides(static_cast<std::int32_t>(machines.size()), max_torus_dimensions, sides, candidates);
    for (std::vector<std::int32_t>& candidate : candidates) {
        TorusWiring wiring{TorusGrid(std::move(candidate))};
        if (links_of(wiring.grid_) == network.links().size() && wiring.find_links(network)) {
            return wiring;
        }
    }
    return std::nullopt;
}

bool TorusWiring::find_links(const Network& network) {
    const auto vertex_of = [&](Machine machine) {
        return network.machines()[static_cast<std::size_t>(machine)].vertex;
    };
    up_.reserve(static_cast<std::size_t>(grid_.machines()) * grid_.dimensions());
    for (Machine machine = 0; machine < grid_.machines(); ++machine) {
        const Vertex here = vertex_of(machine);
        const std::vector<std::int32_t>& links = network.links_at(here);
        for (std::size_t dimension = 0; dimension < grid_.dimensions(); ++dimension) {
            const Vertex next = vertex_of(grid_.moved(machine, dimension, 1));
            const auto found = std::find_if(links.begin(), links.end(),
                                            [&](std::int32_t link) { return network.other_end(link, here) == next; });
            if (found == links.end()) {
                return false;
            }
            const bool from_lower = network.links()[static_cast<std::size_t>(*found)].lower == here;
            up_.push_back(2 * *found + (from_lower ? 0 : 1));
        }
    }
    return true;
}

DirectedLink TorusWiring::link(Machine machine, std::size_t dimension, bool up) const {
    const auto up_from = [&](Machine start) {
        return up_[static_cast<std::size_t>(start) * grid_.dimensions() + dimension];
    };
    return up ? up_from(machine) : up_from(grid_.moved(machine, dimension, -1)) ^ 1;
}

void TorusWiring::append_route(Machine from, Machine to, std::vector<DirectedLink>& route) const {
    for (std::size_t dimension = grid_.dimensions(); dimension-- > 0;) {
        const std::int32_t hops =
            grid_.hops(dimension, grid_.coordinate(from, dimension), grid_.coordinate(to, dimension));
        for (std::int32_t hop = 0; hop < std::abs(hops); ++hop) {
            route.push_back(link(from, dimension, hops > 0));
            from = grid_.moved(from, dimension, hops > 0 ? 1 : -1);
        }
    }
}

}  // namespace aapc
