/// @file
/// The checker's own ways through a fabric, found from the graph and its tables alone.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "aapc/topology/network.hpp"

namespace aapc::check {

/// Which cable every switch of a fabric passes a message on to. Written from docs/topology-files.md ("Fabrics"),
/// without aapc/topology/fabric.hpp. Refers to the network.
class FabricWays {
  public:
    /// nullopt unless every machine has one link, to a switch, and all these switches hang together. O(vertices +
    /// links).
    [[nodiscard]] static std::optional<FabricWays> find(const Network& network);

    /// Appends the directed links between two machines, in order; none within a machine. False if tables send the
    /// message in a circle. `draw` and the connection's number count where paths are not static: at every switch each
    /// cable on a shortest way is as likely as the others. The first message to a switch's machines costs O(vertices +
    /// links), every other one O(hops · links at a switch).
    [[nodiscard]] bool append(Machine from, Machine to, std::uint64_t draw, std::uint64_t connection,
                              std::vector<std::int64_t>& links);

    /// How many switches a message passes before it reaches that vertex, at least.
    [[nodiscard]] std::int32_t stage(Vertex vertex) const { return stage_[static_cast<std::size_t>(vertex)]; }

  private:
    explicit FabricWays(const Network& network) : network_(&network) {}

    [[nodiscard]] const std::vector<std::int32_t>& hops_to(Vertex target);
    [[nodiscard]] std::vector<std::int32_t> hops_from(const std::vector<Vertex>& starts) const;
    [[nodiscard]] std::int32_t by_modulo(Vertex at, Machine to, const std::vector<std::int32_t>& cables) const;
    void count_uplinks();

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
