/// @file
/// What messages can contend for, found by the checker itself from the graph alone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "aapc/demand.hpp"
#include "aapc/network.hpp"
#include "aapc/schedule.hpp"

namespace aapc::check {

/// Something that carries one message at a time: a direction of a link (numbered as DirectedLink), or the port through
/// which a rank sends or receives (numbered behind the links).
using Channel = std::int64_t;

/// The channels of a tree and the routes through them. Holds references: network and demand must outlive it.
class Channels {
  public:
    /// Or a violation if the network is no tree or check_placement() finds one. O(vertices + participants).
    [[nodiscard]] static Expected<Channels, Violation> find(const Network& network, const Demand& demand);

    [[nodiscard]] std::size_t size() const { return links_ + 2 * demand_->machine_of.size(); }

    /// Replaces `channels` by those that a message between two different participants uses: the sender's port, every
    /// directed link of its only route (none between ranks of one machine), the receiver's port. O(route length).
    void route(Rank from, Rank to, std::vector<Channel>& channels);

    /// "the link s0->s1", "the sending port of n0".
    [[nodiscard]] std::string name(Channel channel) const;

  private:
    Channels(const Network& network, const Demand& demand);

    /// The way from a vertex to the root of the walk that found the tree.
    struct Climb {
        Vertex parent = -1;
        std::int32_t depth = -1;  ///< -1: not reached
        DirectedLink up = -1;     ///< towards the parent
        DirectedLink down = -1;   ///< from the parent
    };

    [[nodiscard]] bool walk();

    const Network* network_;
    const Demand* demand_;
    std::size_t links_;  ///< directed ones
    std::vector<Climb> climbs_;
    std::vector<Channel> descent_;  ///< scratch of route(), kept to save allocations
};

/// Whether every participant sits on a machine of the network; nothing if so. O(participants).
[[nodiscard]] std::optional<Violation> check_placement(const Network& network, const Demand& demand);

/// "the sending port of n0".
[[nodiscard]] std::string port_name(const Network& network, const Demand& demand, Rank rank, bool sending);

/// "n0->n4" for the sentences of the checker; computed only once something is wrong.
[[nodiscard]] std::string message_name(const Network& network, const Demand& demand, Rank from, Rank to);

}  // namespace aapc::check
