/// @file
/// The checker's own ways through a fabric, found from the graph and its tables alone.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "aapc/check/schedule.hpp"
#include "aapc/input/diagnostic.hpp"
#include "aapc/topology/network.hpp"

namespace aapc::check {

/// Which cable every switch of a fabric passes a message on to. Written from docs/topology-files.md ("Fabrics"),
/// without aapc/topology/fabric.hpp. Refers to the network.
class FabricWays {
  public:
    /// A violation unless every machine has one link, to a switch, all these switches hang together, and no table sends
    /// messages in a circle. O(vertices + links); with tables O(machines · switches · links at a switch) more.
    [[nodiscard]] static Expected<FabricWays, Violation> find(const Network& network);

    /// Appends the directed links between two machines, in order; none within a machine. `draw` and the connection's
    /// number count where paths are not static: at every switch each cable on a shortest way is as likely as the
    /// others. The first message to a switch's machines costs O(vertices + links), every other one O(hops · links at a
    /// switch).
    void append(Machine from, Machine to, std::uint64_t draw, std::uint64_t connection,
                std::vector<std::int64_t>& links);

    /// What of a message crosses a link.
    struct Share {
        std::int64_t link = -1;
        double part = 0;
    };
    /// Replaces `shares` by those of all directed links between two machines if at every switch the cables on shortest
    /// ways share evenly, links nearer to the sender first; none within a machine. O(links on shortest ways), the first
    /// message to a switch's machines O(vertices + links) more.
    void spread(Machine from, Machine to, std::vector<Share>& shares);

    /// How many switches a message passes before it reaches that vertex, at least.
    [[nodiscard]] std::int32_t stage(Vertex vertex) const { return stage_[static_cast<std::size_t>(vertex)]; }

  private:
    explicit FabricWays(const Network& network) : network_(&network) {}

    [[nodiscard]] const std::vector<std::int32_t>& hops_to(Vertex target);
    [[nodiscard]] std::vector<std::int32_t> hops_from(const std::vector<Vertex>& starts) const;
    [[nodiscard]] std::int32_t by_modulo(Vertex at, Machine to, const std::vector<std::int32_t>& cables) const;
    void count_uplinks();
    [[nodiscard]] std::int32_t by_table(Vertex at, Machine to, const std::vector<std::int32_t>& hops);
    [[nodiscard]] std::optional<Violation> find_circle();
    void find_cables(Vertex at, const std::vector<std::int32_t>& hops);
    [[nodiscard]] std::int64_t leaving(Vertex at, std::int32_t link) const;

    const Network* network_;
    std::vector<Vertex> switch_of_;                 ///< by machine
    std::vector<std::int32_t> cable_of_;            ///< by machine
    std::vector<std::int32_t> stage_;               ///< by vertex
    std::vector<std::int64_t> product_;             ///< by stage: of the most uplinks of every stage beneath
    std::vector<std::int32_t> switches_above_;      ///< by vertex: of the next stage
    std::vector<std::vector<std::int32_t>> hops_;   ///< by vertex of a switch with machines: hops to it, by vertex
    std::vector<std::vector<std::int32_t>> table_;  ///< by vertex, then machine: a link, or -1
    std::vector<std::int32_t> cables_;              ///< scratch
};

}  // namespace aapc::check
