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

/// A sample of the channels between switches, half of them among the busiest, each with all messages that cross it, and
/// the two of the busiest machine: what a lattice does at one machine it does at all.
class BusyChannels {
  public:
    /// nullopt if the network is no fabric with static paths, no link carries messages, or routes take too long to
    /// walk. `bound` is the exact one of the network, `slack` as QueueMeter takes it. O(that of visit_static_routes() +
    /// messages of the sample).
    [[nodiscard]] static std::optional<BusyChannels> find(const Network& network, const Placement& placement,
                                                          const Positions& positions, const Bound& bound,
                                                          std::int64_t slack);

    /// Messages on all of them.
    [[nodiscard]] std::int64_t messages() const;
    /// The longest queue of that lattice, in parts of a message. Plays channels until they carry `most_messages`
    /// together, at least one, or a queue is longer than `enough`. O(messages played).
    [[nodiscard]] std::int64_t longest(const LatticeFormula& formula, std::int64_t most_messages, std::int64_t enough);
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
        std::vector<Crossing> crossings;
    };
    class Walk;

    BusyChannels() = default;
    [[nodiscard]] std::int64_t longest_of(const Channel& channel, const LatticeFormula& formula);

    std::vector<Channel> channels_;
    std::int64_t message_ = 1;
    std::int64_t work_ = 0;
    std::vector<Arrival> arrivals_;  ///< scratch, as all that follows
    std::vector<Arrival> sorted_;
    std::vector<Arrival> ends_;
    std::vector<std::uint32_t> begin_;
};

}  // namespace aapc::lattice
