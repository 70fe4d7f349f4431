/// @file
/// The torus: machines in a grid of one to three dimensions, each next to the machines before and behind it in every
/// dimension, the first next to the last. There are no switches; machines pass on what is not for them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "aapc/topology/network.hpp"

namespace aapc {

/// How many dimensions a torus has at most.
inline constexpr std::size_t max_torus_dimensions = 3;

/// A machine of a torus, before it has a place in a network.
struct TorusMachine {
    std::string name;
    std::int32_t ranks = 1;
};

/// The network of a torus. `machines` are as many as the product of the sides, row-major: the last coordinate runs
/// fastest. Vertices are the machines. Links are, machine by machine and dimension by dimension, those to the next
/// machine. Two machines have one link at most: a side of 2 has one where a longer one has two, a side of 1 none.
/// `buffer_bytes` is that of every port, 0 where it is not known.
[[nodiscard]] Network torus_network(const std::vector<std::int32_t>& sides, const std::vector<TorusMachine>& machines,
                                    double bits_per_second, std::int64_t buffer_bytes = 0,
                                    std::int32_t mtu_bytes = usual_mtu_bytes);

/// Coordinates and routes on a torus, by arithmetic alone.
///
/// Routes are the shortest and go dimension by dimension, the last dimension first (in a row to the right column, then
/// in the column to the right row). Half-way round an even side, both ways are equally short: messages from coordinates
/// in the first and third quarter of the side go up, those from the second and fourth down. That loads all links of a
/// ring alike if the side is a multiple of 4, and routing tables that know destinations alone can hold it.
class TorusGrid {
  public:
    /// Every side is at least 1.
    explicit TorusGrid(std::vector<std::int32_t> sides);

    [[nodiscard]] const std::vector<std::int32_t>& sides() const { return sides_; }
    [[nodiscard]] std::size_t dimensions() const { return sides_.size(); }
    [[nodiscard]] std::int32_t side(std::size_t dimension) const { return sides_[dimension]; }
    /// Distance, in machine numbers, of machines that are next to each other in that dimension.
    [[nodiscard]] std::int32_t stride(std::size_t dimension) const { return strides_[dimension]; }
    [[nodiscard]] std::int32_t machines() const { return machines_; }

    [[nodiscard]] std::int32_t coordinate(Machine machine, std::size_t dimension) const {
        return machine / strides_[dimension] % sides_[dimension];
    }
    /// The machine that many hops further up in that dimension (down, if negative), around the ring.
    [[nodiscard]] Machine moved(Machine machine, std::size_t dimension, std::int32_t hops) const;
    /// How many hops a route makes in that dimension from one coordinate to another; negative: down.
    [[nodiscard]] std::int32_t hops(std::size_t dimension, std::int32_t from, std::int32_t to) const;

    /// "8 x 8"; "1 machine" without dimensions.
    [[nodiscard]] std::string text() const;

  private:
    std::vector<std::int32_t> sides_;
    std::vector<std::int32_t> strides_;
    std::int32_t machines_ = 1;
};

/// A torus as a graph: which link leads where.
class TorusWiring {
  public:
    /// The grid that `network` is, its sides of 1 left out, found from its links; nothing if it is none. For a single
    /// machine a grid without dimensions. O(links · ways to write the number of machines as a product).
    [[nodiscard]] static std::optional<TorusWiring> find(const Network& network);

    [[nodiscard]] const TorusGrid& grid() const { return grid_; }
    /// The directed link from a machine to the next one up (otherwise down) in that dimension. O(1).
    [[nodiscard]] DirectedLink link(Machine machine, std::size_t dimension, bool up) const;
    /// Appends the directed links of the route between two machines, in order. O(hops).
    void append_route(Machine from, Machine to, std::vector<DirectedLink>& route) const;

  private:
    explicit TorusWiring(TorusGrid grid) : grid_(std::move(grid)) {}

    /// Fills in the links; false if one is missing.
    [[nodiscard]] bool find_links(const Network& network);

    TorusGrid grid_;
    std::vector<DirectedLink> up_;  ///< by machine, then dimension
};

}  // namespace aapc
