/// @file
/// What messages share: the channels of a network, what each carries and can carry, and every message's way through
/// them. For networks small enough to write all ways down.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "aapc/topology/network.hpp"
#include "aapc/topology/placement.hpp"
#include "algorithms/lattice/positions.hpp"

namespace aapc::lattice {

/// Speeds of all links as whole numbers of one common unit, at most 2^24, so that all ranks count alike; exact if they
/// are whole multiples of a thousandth of a bit per second and the largest is less than 2^24 common measures. All 1
/// where the speed of any link that carries messages is not known. `loads` is by link: 0 where nothing crosses it (its
/// speed then does not count and is returned as 1).
[[nodiscard]] std::vector<std::int64_t> whole_speeds(const Network& network, const std::vector<std::int64_t>& loads);

/// A number of messages over a whole speed: how long a channel is busy in a cycle.
struct BusyTime {
    std::int64_t messages = 0;
    std::int64_t speed = 1;

    [[nodiscard]] bool operator<(const BusyTime& other) const {
        return messages * other.speed < other.messages * speed;
    }
};

/// One stop of a route.
struct Hop {
    std::int32_t channel = 0;  ///< dense number
    /// How fast a message flows into it: what it can have of the slowest link before it on its way; of the channel
    /// itself, if that is the first.
    std::int32_t inflow = 1;
};

/// Routes one behind another, by the number of a pair of machines.
struct Ways {
    std::vector<std::size_t> begin;  ///< by pair, and the end of the last one
    std::vector<Hop> hops;

    [[nodiscard]] std::span<const Hop> of(std::size_t pair) const {
        return {hops.data() + begin[pair], hops.data() + begin[pair + 1]};
    }
};

/// The channels that carry messages, which are directed links, densely numbered, and the routes between machines.
class Traffic {
  public:
    /// Writes down all routes; nothing if they have more than `most_hops` hops between all machines together, or the
    /// network of kind torus is none. Positions as place_ranks() gives them. O(machines² · route).
    [[nodiscard]] static std::optional<Traffic> find(const Network& network, const Placement& placement,
                                                     const Positions& positions, std::int64_t most_hops);

    [[nodiscard]] Position positions() const { return static_cast<Position>(machine_at_.size()); }
    [[nodiscard]] std::size_t channels() const { return links_.size(); }
    [[nodiscard]] DirectedLink link(std::size_t channel) const { return links_[channel]; }
    [[nodiscard]] std::int64_t speed(std::size_t channel) const { return speeds_[channel]; }
    /// Messages that cross it.
    [[nodiscard]] std::int64_t load(std::size_t channel) const { return loads_[channel]; }
    /// The longest of all channels'; 0 messages where none crosses one.
    [[nodiscard]] BusyTime busiest() const { return busiest_; }
    /// Hops of all messages together.
    [[nodiscard]] std::int64_t hops() const { return hops_; }
    /// The number of the machine at that position, counted from 0 in order of position; machines() of them.
    [[nodiscard]] std::int32_t machine_at(Position position) const {
        return machine_at_[static_cast<std::size_t>(position)];
    }
    [[nodiscard]] std::int32_t machines() const { return machines_; }

    /// The number of the pair of machines of those positions.
    [[nodiscard]] std::size_t pair(Position from, Position to) const {
        return static_cast<std::size_t>(machine_at(from)) * static_cast<std::size_t>(machines_) +
               static_cast<std::size_t>(machine_at(to));
    }
    /// The way from one position to another; empty inside a machine.
    [[nodiscard]] std::span<const Hop> route(Position from, Position to) const { return ways_.of(pair(from, to)); }
    /// All ways, by pair, with those of their hops alone whose channel is wanted. O(hops + machines²).
    [[nodiscard]] Ways ways_on(const std::vector<bool>& wanted) const;

  private:
    Traffic() = default;

    void number_machines(const Placement& placement, const Positions& positions, std::vector<Machine>& machines);
    void count(const Network& network);

    std::int32_t machines_ = 0;
    std::vector<std::int32_t> machine_at_;
    Ways ways_;
    std::vector<DirectedLink> links_;
    std::vector<std::int64_t> speeds_;
    std::vector<std::int64_t> loads_;
    BusyTime busiest_;
    std::int64_t hops_ = 0;
};

}  // namespace aapc::lattice
