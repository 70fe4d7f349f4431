/// @file
/// Fabrics: switches with several ways between them (leaf-spine, fat trees, dragonflies), and what an all-to-all puts
/// on their cables.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "aapc/input/diagnostic.hpp"
#include "aapc/topology/network.hpp"
#include "aapc/topology/placement.hpp"

namespace aapc {

/// A connection as a hash sees it: a number of 64 bits. `draw` stands for what is drawn anew with each job, its source
/// ports. O(1).
[[nodiscard]] std::uint64_t connection_key(std::uint64_t draw, std::int32_t from, std::int32_t to);

/// The ways between the machines of a fabric: the shortest ones, counted in links. At every switch a message has the
/// choice of the cables on them. Which one it takes is what FabricForwarding says:
/// - hashed: any of them, each with the same probability, by its connection's key;
/// - static: what the switch's table says, otherwise destination-modulo (D-mod-K; Zahavi 2011): upwards, cable
///   floor(D / W) mod K of the K that are on shortest ways, D the number of the destination machine and W the product
///   of the numbers of uplinks of a switch of each stage beneath; downwards the parallel cable that mirrors it.
/// The stage of a switch is its distance from the nearest switch that has machines.
class FabricRoutes {
  public:
    /// A diagnostic, without a file, if a machine has not exactly one link, two machines are not connected, or a table
    /// sends messages in a circle. The network must outlive it. O(leaf switches · links between switches); with tables
    /// O(machines · switches) more.
    [[nodiscard]] static Expected<FabricRoutes> find(const Network& network);

    /// The diagnostic of find(), or nullopt. O(vertices + links); with tables as find().
    [[nodiscard]] static std::optional<Diagnostic> mistake_in(const Network& network);

    /// Switches that machines are plugged into, in order of vertex; in what follows a leaf is an index into it.
    [[nodiscard]] const std::vector<Vertex>& leaves() const { return leaves_; }
    [[nodiscard]] std::int32_t leaf_of(Machine machine) const { return leaf_of_[static_cast<std::size_t>(machine)]; }

    /// Appends the directed links from one machine to another, in order; none within a machine. The key counts where
    /// paths are hashed or sprayed. O(hops · links at a switch).
    void append(Machine from, Machine to, std::uint64_t key, std::vector<DirectedLink>& route) const;

    /// How many links a switch is away from a leaf; -1 if no way leads there.
    [[nodiscard]] std::int32_t distance(std::int32_t leaf, Vertex at) const {
        return distance_[static_cast<std::size_t>(leaf)][static_cast<std::size_t>(at)];
    }
    /// Replaces `choices` by the directed links out of a switch that are on shortest ways to a leaf, in the order of
    /// the file; none at the leaf itself. O(links at the switch).
    void choices(Vertex at, std::int32_t leaf, std::vector<DirectedLink>& choices) const;
    /// Which of the choices a message to that machine takes where paths are static. O(1).
    [[nodiscard]] DirectedLink chosen(Vertex at, Machine to, std::span<const DirectedLink> choices) const;

    /// The link between a machine and its switch, upwards.
    [[nodiscard]] DirectedLink up_from(Machine machine) const { return up_from_[static_cast<std::size_t>(machine)]; }

  private:
    explicit FabricRoutes(const Network& network) : network_(&network) {}
    [[nodiscard]] std::optional<Diagnostic> find_leaves();
    [[nodiscard]] std::optional<Diagnostic> find_gap() const;
    [[nodiscard]] std::vector<std::int16_t> distances_from(Vertex start) const;
    void find_distances();
    void find_stages();
    [[nodiscard]] std::optional<Diagnostic> read_tables();

    const Network* network_;
    std::vector<Vertex> leaves_;
    std::vector<std::int32_t> leaf_of_;                ///< by machine
    std::vector<DirectedLink> up_from_;                ///< by machine
    std::vector<std::vector<std::int16_t>> distance_;  ///< by leaf, then vertex
    std::vector<std::int32_t> stage_;                  ///< by vertex; -1: not connected with any machine
    std::vector<std::int64_t> stride_;                 ///< by stage: W
    std::vector<std::int32_t> uppers_;                 ///< by vertex: how many switches of the next stage it has
    std::vector<std::vector<DirectedLink>> table_;     ///< by vertex, then machine; empty, or -1 for no entry
};

/// By directed link: how many messages cross it if every rank sends one to every other and, at every switch, all cables
/// on shortest ways share evenly. O(leaf switches · links between switches).
[[nodiscard]] std::vector<double> even_loads(const Network& network, const FabricRoutes& routes,
                                             const Placement& placement);

/// The loads of a regular fabric.
struct RegularLoads {
    std::vector<double> even;  ///< by directed link, as even_loads()
    /// Whether destination-modulo puts the same on every cable: static paths, no tables, at most one cable between two
    /// switches, as many uplinks at all switches of a stage, as many ranks on all machines, and every part's machines
    /// an aligned run of numbers whose length is a multiple of the product of uplinks up to its stage.
    bool modulo_is_even = false;
};

/// The loads where the fabric is regular: cables join neighbouring stages alone, and between a part of it and the
/// switches above that part every switch has as many cables as the others of its stage. Then all cables out of a part
/// carry the same, which is the load of the cut by their number. nullopt where the fabric is not, or FabricRoutes has a
/// mistake to say of machines or cables. O(links).
[[nodiscard]] std::optional<RegularLoads> regular_loads(const Network& network, const Placement& placement);

/// The links between switches from a leaf to a machine, in order.
using VisitRoute = std::function<void(std::int32_t leaf, Machine to, std::span<const DirectedLink> route)>;

/// Visits the route from every leaf to every machine that is not plugged into it, under the tables of a fabric with
/// static paths. Leaves and machines without ranks are left out. O(leaf switches · links between switches + machines ·
/// leaf switches · hops).
void visit_static_routes(const Network& network, const FabricRoutes& routes, const Placement& placement,
                         const VisitRoute& visit);

/// The same under the tables of a fabric with static paths: whole numbers. O(leaf switches · links between switches +
/// machines · (switches + leaf switches · hops)).
[[nodiscard]] std::vector<double> static_loads(const Network& network, const FabricRoutes& routes,
                                               const Placement& placement);

/// The same under one draw of a hash, each pair of ranks being one connection: whole numbers. Connections between two
/// leaves are drawn together, which has the same distribution as one by one. O(leaf switches · links between switches).
[[nodiscard]] std::vector<double> hashed_loads(const Network& network, const FabricRoutes& routes,
                                               const Placement& placement, std::uint64_t draw);

/// What a hash leaves of the even bound, in seconds for messages of one byte.
struct ExpectedBound {
    double mean = 0;   ///< of the bound over all draws
    double worst = 0;  ///< of the worst of twenty draws
};

/// By the formula: P(bound <= t) is a product over the sets of cables among which a switch chooses of 1 - Σ P(X > t·s),
/// X the number of a cable's messages, a sum of independent choices (normal, with the first term of Edgeworth's series
/// for its skewness), s its speed. All speeds must be known. O(leaf switches² · links on their ways).
[[nodiscard]] ExpectedBound expected_bound(const Network& network, const FabricRoutes& routes,
                                           const Placement& placement);

/// What a hash leaves of the even bound, by both.
struct HashedBounds {
    ExpectedBound formula;
    std::optional<ExpectedBound> sampled;  ///< nullopt where sampling would take seconds
    int draws = 0;                         ///< that were sampled
};

/// Of a fabric whose paths are hashed, and of a tree with bundles, whose cables are chosen by a hash as well. nullopt
/// on other networks, where a speed is not known, and where there are more than 512 leaf switches. Some 0.5 s at most.
[[nodiscard]] std::optional<HashedBounds> hashed_bounds(const Network& network, const Placement& placement);

/// By sampling: the mean over `draws`, and the mean of the worst of every twenty of them (at least twenty).
[[nodiscard]] ExpectedBound sampled_bound(const Network& network, const FabricRoutes& routes,
                                          const Placement& placement, int draws);

/// A tree for what needs one: the same machines, and for every stage a switch for each set of switches of at most that
/// stage that hang together, with one bundle for all cables that leave the set. Its bound is a lower bound of the
/// fabric's, the same where all cables out of each set carry the same. Vertices are the topmost set first, then sets
/// before those inside them, then the machines in order; links are those of vertices 1 … in this order.
[[nodiscard]] Network tree_of_cuts(const Network& fabric);

/// The machines of that tree depth first: those of a set's own switches before those of the sets inside it. O(links).
[[nodiscard]] std::vector<Machine> depth_first_by_cuts(const Network& fabric);

/// A tree with bundles as a fabric with hashed paths: every cable a link. The same machines and vertices.
[[nodiscard]] Network fabric_of_cables(const Network& tree);

}  // namespace aapc
