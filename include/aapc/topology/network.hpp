/// @file
/// The network: machines, switches and the links between them, as a graph that knows nothing of any algorithm.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace aapc {

/// What the graph is known to be. It decides which algorithms apply and how messages are routed.
enum class NetworkKind : std::uint8_t {
    tree,   ///< of switches
    torus,  ///< machines in a grid whose rows and columns are rings
    /// Trees of switches that are plugged into a wide-area network (aapc/topology/clusters.hpp): also a tree.
    clusters,
    /// Machines of which nothing is known but which ranks they run (aapc/topology/detection.hpp): a tree of one switch.
    detected,
    /// Switches with several ways between them, over which messages are spread (aapc/topology/fabric.hpp).
    fabric,
};

[[nodiscard]] std::string_view to_string(NetworkKind kind);

/// Whether networks of that kind are trees, in which every message has one route.
[[nodiscard]] constexpr bool is_tree(NetworkKind kind) {
    return kind != NetworkKind::torus && kind != NetworkKind::fabric;
}

using Vertex = std::int32_t;   ///< index into Network::vertices()
using Machine = std::int32_t;  ///< index into Network::machines(), in file order
using Rank = std::int32_t;     ///< a participant of an exchange, 0 … participants-1

/// A machine or a switch.
struct NetworkVertex {
    std::string name;
    bool is_switch = false;
};

/// A full-duplex cable, or a bundle of parallel ones that switches use as one (a LAG). It carries `bits_per_second` in
/// each direction, independently. In a tree read from a file `lower` is the machine, or the switch that is plugged in,
/// and `upper` the switch it is plugged into.
struct Link {
    Vertex lower = -1;
    Vertex upper = -1;
    double bits_per_second = 0;  ///< of all its cables; 0 if it was detected and no speed was given; otherwise above 0
    double latency_seconds = 0;  ///< that it adds to each message; 0 if not given
    /// How many cables, all alike. A switch puts all of a message (of a connection) on one of them.
    std::int32_t cables = 1;
    /// What the port at `lower` can hold of that which waits to go up, and the port at `upper` of that which waits to
    /// go down, in bytes; 0 if not given. It is never given for a machine's own port in a tree: there the sender waits,
    /// and nothing is lost.
    std::int64_t lower_buffer_bytes = 0;
    std::int64_t upper_buffer_bytes = 0;

    /// What a single message can have of it, which is one cable.
    [[nodiscard]] double flow_bits_per_second() const { return bits_per_second / cables; }
};

/// One direction of a link: 2*link for lower→upper, 2*link+1 for upper→lower.
using DirectedLink = std::int32_t;

/// The largest packet of a network for which none is given, in bytes without the frame around it.
inline constexpr std::int32_t usual_mtu_bytes = 1500;

/// How the switches of a fabric choose among several cables.
enum class FabricPaths : std::uint8_t {
    hashed,   ///< a cable for each connection, by a hash of its addresses and ports
    static_,  ///< by forwarding tables: a cable for each destination
    sprayed,  ///< packet by packet, so that the cables share evenly
};

/// "hashed", "static", "sprayed".
[[nodiscard]] std::string_view to_string(FabricPaths paths);

/// A line of a switch's forwarding table: what is for a machine leaves by that link.
struct TableEntry {
    Vertex at = -1;
    Machine to = -1;
    std::int32_t link = -1;

    friend bool operator==(const TableEntry&, const TableEntry&) = default;
};

/// How a fabric forwards. `table` is empty unless paths are static; a destination that a switch has no entry for leaves
/// by destination-modulo (aapc/topology/fabric.hpp).
struct FabricForwarding {
    FabricPaths paths = FabricPaths::hashed;
    std::vector<TableEntry> table;
};

/// A machine that can run ranks.
struct NetworkMachine {
    Vertex vertex = -1;
    std::int32_t ranks = 1;  ///< how many ranks the topology file says it runs; at least 1
};

/// An immutable description of the wiring. Built by the topology reader (aapc/topology/topology_file.hpp) or, in tests,
/// by hand. The constructor does not check anything: whether the graph is a tree is the reader's promise, and the
/// checker's to find out.
class Network {
  public:
    Network(NetworkKind kind, std::vector<NetworkVertex> vertices, std::vector<Link> links,
            std::vector<NetworkMachine> machines, std::int32_t mtu_bytes = usual_mtu_bytes,
            FabricForwarding forwarding = {});

    [[nodiscard]] NetworkKind kind() const { return kind_; }
    [[nodiscard]] const std::vector<NetworkVertex>& vertices() const { return vertices_; }
    [[nodiscard]] const std::vector<Link>& links() const { return links_; }
    /// Machines in file order.
    [[nodiscard]] const std::vector<NetworkMachine>& machines() const { return machines_; }

    /// How the switches forward; means something in a fabric only.
    [[nodiscard]] const FabricForwarding& forwarding() const { return forwarding_; }
    /// Whether a hash chooses the paths of messages: in a fabric whose switches forward so.
    [[nodiscard]] bool has_hashed_paths() const {
        return kind_ == NetworkKind::fabric && forwarding_.paths == FabricPaths::hashed;
    }

    /// The largest packet that every machine and switch takes, in bytes without the frame around it.
    [[nodiscard]] std::int32_t mtu_bytes() const { return mtu_bytes_; }
    /// How many bytes can wait for that direction of a link; 0 if not given.
    [[nodiscard]] std::int64_t buffer_bytes(DirectedLink directed) const {
        const Link& link = links_[static_cast<std::size_t>(directed / 2)];
        return directed % 2 == 0 ? link.lower_buffer_bytes : link.upper_buffer_bytes;
    }

    [[nodiscard]] const std::string& machine_name(Machine machine) const;
    /// The machine of that name, or -1. Exact match first; otherwise the unique machine whose name agrees up to the
    /// first dot ("n3" and "n3.cluster.example"), since a host may or may not say its domain. O(1) expected.
    [[nodiscard]] Machine find_machine(std::string_view host_name) const;

    /// Links at a vertex, in ascending order of link index (file order). O(1).
    [[nodiscard]] const std::vector<std::int32_t>& links_at(Vertex vertex) const {
        return links_at_[static_cast<std::size_t>(vertex)];
    }
    [[nodiscard]] Vertex other_end(std::int32_t link, Vertex end) const {
        const Link& cable = links_[static_cast<std::size_t>(link)];
        return cable.lower == end ? cable.upper : cable.lower;
    }

  private:
    NetworkKind kind_;
    std::vector<NetworkVertex> vertices_;
    std::vector<Link> links_;
    std::vector<NetworkMachine> machines_;
    std::int32_t mtu_bytes_;
    FabricForwarding forwarding_;
    std::vector<std::vector<std::int32_t>> links_at_;
    std::unordered_map<std::string, Machine> by_name_;
    std::unordered_map<std::string, Machine> by_short_name_;  ///< -1: several machines have it
};

}  // namespace aapc
