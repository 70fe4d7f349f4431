/// @file
/// What messages can contend for, found by the checker itself from the graph alone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "aapc/check/schedule.hpp"
#include "aapc/topology/network.hpp"
#include "aapc/topology/placement.hpp"
#include "check/fabric_ways.hpp"

namespace aapc::check {

/// Something that carries one message at a time: a direction of a link (numbered as DirectedLink), or the port through
/// which a rank sends or receives (numbered behind the links).
using Channel = std::int64_t;

/// The channels of a tree, a torus or a fabric and the routes through them. Holds references: network and placement
/// must outlive it.
class Channels {
  public:
    /// Or a violation if the network is not what its kind says or check_placement() finds one. O(vertices +
    /// participants); a torus: times the ways to write the number of machines as a product.
    [[nodiscard]] static Expected<Channels, Violation> find(const Network& network, const Placement& placement);

    [[nodiscard]] std::size_t size() const { return links_ + 2 * placement_->machine_of.size(); }

    /// Replaces `channels` by those that a message between two different participants uses: the sender's port, every
    /// directed link of its route (none between ranks of one machine), the receiver's port. The route is the only one
    /// in a tree. In a torus it is the shortest, the last coordinate first; half-way round a ring it goes up from the
    /// first and the third quarter of the ring, down from the second and the fourth. In a fabric it is what FabricWays
    /// says. O(route length).
    void route(Rank from, Rank to, std::vector<Channel>& channels);

    /// Whether a message can take one of several ways, so that route() is that of a draw: in a fabric whose paths are
    /// not static.
    [[nodiscard]] bool has_several_ways() const {
        return fabric_ && network_->forwarding().paths != FabricPaths::static_;
    }
    /// Which draw of a hash the routes are under where there are several ways; 0 to begin with.
    void set_draw(std::uint64_t draw) { draw_ = draw; }

    /// What of a message crosses a channel.
    struct Crossing {
        Channel channel = -1;
        double part = 1;
    };
    /// Replaces `crossings` by those of a message between two different participants, the sender's side first: all of
    /// it on route(), or, where there are several ways, the parts that FabricWays::spread() says. O(links on the ways).
    void crossings(Rank from, Rank to, std::vector<Crossing>& crossings);

    /// The links of a tree by their distance from vertex 0, those of a torus by their dimension, those of a fabric by
    /// the stage of their lower end, machines first; one direction of each.
    [[nodiscard]] std::vector<std::vector<DirectedLink>> levels() const;

    /// Ranks among which are all senders, and all receivers, of messages that use a directed link of a tree or a torus;
    /// in a tree no others. O(participants · depth).
    struct Users {
        std::vector<Rank> senders;
        std::vector<Rank> receivers;
    };
    [[nodiscard]] Users users(DirectedLink link) const;

    /// How many messages cross each directed link of a tree, one from everybody to everybody, from the numbers of ranks
    /// on its sides. O(participants · depth).
    [[nodiscard]] std::vector<std::int64_t> tree_loads() const;

    /// "the link s0->s1", "the sending port of n0".
    [[nodiscard]] std::string name(Channel channel) const;

  private:
    Channels(const Network& network, const Placement& placement);

    /// The way from a vertex to the root of the walk that found the tree.
    struct Climb {
        Vertex parent = -1;
        std::int32_t depth = -1;  ///< -1: not reached
        DirectedLink up = -1;     ///< towards the parent
        DirectedLink down = -1;   ///< from the parent
    };

    [[nodiscard]] bool walk();
    [[nodiscard]] bool find_rings();
    [[nodiscard]] bool find_rings(const std::vector<std::int32_t>& sides);
    void route_in_tree(Vertex source, Vertex target, std::vector<Channel>& channels);
    void route_in_torus(Machine from, Machine to, std::vector<Channel>& channels) const;
    [[nodiscard]] Users users_in_tree(DirectedLink link) const;
    [[nodiscard]] Users users_in_torus(DirectedLink link) const;
    [[nodiscard]] Vertex vertex_of(Rank rank) const;

    /// A dimension of a torus whose machines are numbered row-major.
    struct Dimension {
        std::int32_t side = 1;
        std::int32_t stride = 1;           ///< from a machine to the next in the ring, but for the last
        std::vector<DirectedLink> upward;  ///< by machine: to the next in the ring
    };

    const Network* network_;
    std::optional<FabricWays> fabric_;
    std::uint64_t draw_ = 0;
    const Placement* placement_;
    std::size_t links_;                      ///< directed ones
    std::vector<Climb> climbs_;              ///< of a tree, by vertex
    std::vector<Dimension> dimensions_;      ///< of a torus, those of side 1 left out
    std::vector<Channel> descent_;           ///< scratch of route(), kept to save allocations
    std::vector<Channel> scratch_;           ///< of crossings()
    std::vector<FabricWays::Share> shares_;  ///< of crossings()
};

/// Whether every participant sits on a machine of the network; nothing if so. O(participants).
[[nodiscard]] std::optional<Violation> check_placement(const Network& network, const Placement& placement);

/// "the sending port of n0".
[[nodiscard]] std::string port_name(const Network& network, const Placement& placement, Rank rank, bool sending);

/// "n0->n4" for the sentences of the checker; computed only once something is wrong.
[[nodiscard]] std::string message_name(const Network& network, const Placement& placement, Rank from, Rank to);

}  // namespace aapc::check
