/// @file
/// Some of the busiest cables of a large fabric with static paths: what its lattice is chosen by, where playing all
/// cables takes too long.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "aapc/topology/bound.hpp"
#include "aapc/topology/fabric.hpp"
#include "aapc/topology/network.hpp"
#include "aapc/topology/placement.hpp"
#include "algorithms/lattice/formula.hpp"
#include "algorithms/lattice/positions.hpp"
#include "algorithms/lattice/queue_meter.hpp"

namespace aapc::lattice {

/// A sample of the channels between switches, half of them among the busiest, each with all messages that cross it.
class BusyChannels {
  public:
    /// nullopt if the network is no fabric with static paths, no cable between switches carries messages, or routes
    /// take too long to walk. `bound` is the exact one of the network, `slack` as QueueMeter takes it. O(that of
    /// visit_static_routes() + messages of the sample).
    [[nodiscard]] static std::optional<BusyChannels> find(const Network& network, const Placement& placement,
                                                          const Positions& positions, const Bound& bound,
                                                          std::int64_t slack);

    [[nodiscard]] Position positions() const { return static_cast<Position>(stagger_.size()); }
    /// Messages on all of them.
    [[nodiscard]] std::int64_t messages() const;
    /// The longest queue of that lattice, in parts of a message; stops early once one is longer than `enough`.
    /// O(messages).
    [[nodiscard]] std::int64_t longest(const Multipliers& multipliers, std::int64_t enough);
    /// Messages that longest() has played since the beginning.
    [[nodiscard]] std::int64_t work() const { return work_; }

  private:
    struct Crossing {
        Position from = 0;
        Position to = 0;
        std::int32_t inflow = 1;
    };
    struct Channel {
        std::int64_t speed = 1;
        std::vector<Crossing> crossings;  ///< in order of their senders' stagger
    };

    BusyChannels() = default;
    void add_messages(const Network& network, const Placement& placement, const Positions& places,
                      const FabricRoutes& routes, const std::vector<std::int64_t>& speeds,
                      const std::vector<std::int32_t>& number);
    void sort_by_stagger();
    [[nodiscard]] std::int64_t longest_of(const Channel& channel, bool staggered);

    std::vector<Channel> channels_;
    std::vector<Tick> stagger_;  ///< by position
    Tick ticks_ = 0;
    std::int64_t message_ = 1;
    std::int64_t work_ = 0;
    std::vector<std::int64_t> sender_slot_;  ///< scratch, as all that follows
    std::vector<std::int64_t> receiver_slot_;
    std::vector<std::size_t> begin_;
    std::vector<Arrival> arrivals_;
    std::vector<Arrival> ends_;
};

}  // namespace aapc::lattice
