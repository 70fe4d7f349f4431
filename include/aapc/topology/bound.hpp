/// @file
/// What no all-to-all on this network can beat.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aapc/topology/network.hpp"
#include "aapc/topology/placement.hpp"

namespace aapc {

/// The load that the all-to-all puts on one direction of a link (Faraj & Yuan 2005, section 3). Both directions of a
/// tree's link carry the same; of a torus' or a fabric's link it is the direction that carries more.
struct LinkLoad {
    std::int32_t link = -1;     ///< index into Network::links()
    std::int64_t messages = 0;  ///< that cross it in that direction; in a tree |Mu|·|Mv|
    /// messages · 8 / speed: what a message size of one byte costs on this link; 0 where the speed is not known.
    double seconds_per_byte = 0;
};

/// Which bound it is, where messages have several paths.
enum class BoundKind : std::uint8_t {
    only,   ///< every message has one route
    even,   ///< all cables share perfectly: what no hash gets below
    exact,  ///< under the fabric's static tables
};

/// "only", "even", "exact".
[[nodiscard]] std::string_view to_string(BoundKind kind);

/// "bound", "even bound", "exact bound": what commands and reports call it.
[[nodiscard]] std::string_view bound_name(BoundKind kind);

/// The bound of one network and placement.
struct Bound {
    BoundKind kind = BoundKind::only;

    /// Messages on the busiest directed link, a rank's own port (participants-1 messages) included: no schedule of
    /// contention-free phases has fewer phases.
    std::int64_t messages = 0;
    /// max over the links of LinkLoad::seconds_per_byte: no exchange of m bytes a pair takes less than m times this.
    /// 0 where no message crosses a link or speeds are not known.
    double seconds_per_byte = 0;
    /// What a message can have of the slowest link that carries messages (of a bundle: one cable), in bits per second;
    /// 0 where none does or it is not known. A schedule of equal phases cannot run faster than messages · 8 / this,
    /// which is more than seconds_per_byte where trunks are faster than ports.
    double slowest_bits_per_second = 0;
    /// The longest that a message travels on one link that carries messages, beside its time by the link's speed.
    double latency_seconds = 0;
    /// Every link that carries messages, those that need the most time first (that carry the most messages, where
    /// speeds are not known); ties in file order.
    std::vector<LinkLoad> links;
};

/// The links are faster than they are said to be if the bound is more than this factor times a measured time. A smaller
/// factor is within what clocks and the last bytes in a port's buffer explain.
inline constexpr double incredible_over_bound = 1.05;

/// "2.31 times as fast as the wires in cluster.toml allow: the speeds there are too low", where `seconds` (> 0) for an
/// exchange whose bound is `bound_seconds` show that of the topology file `file`; nullopt if they do not, or if the
/// bound is not known (0). O(1).
[[nodiscard]] std::optional<std::string> faster_than_wires(double bound_seconds, double seconds, std::string_view file);

/// Loads of a tree. O(vertices + participants).
[[nodiscard]] Bound tree_bound(const Network& network, const Placement& placement);

/// Loads of a torus under its routes (aapc/topology/torus.hpp). With P machines of one rank each and a side of k, a
/// multiple of 4, a link of that side carries P·k/8 messages; by the bisection no other routing does with less. For
/// other sides it is a bound for what these routes carry. No links are listed if the network is no torus. O(dimensions
/// · (vertices + participants)).
[[nodiscard]] Bound torus_bound(const Network& network, const Placement& placement);

/// Loads of a fabric (aapc/topology/fabric.hpp): exact where paths are static, otherwise even, where
/// LinkLoad::messages is a link's share rounded up. Even as well for static paths of a regular fabric that is too large
/// for exact loads (machines times switches above 5e7). No links are listed if the network is no fabric. O(links) for
/// the even bound of a regular fabric, and the exact one where destination-modulo shares evenly; otherwise as
/// FabricRoutes::find() and static_loads() or even_loads().
[[nodiscard]] Bound fabric_bound(const Network& network, const Placement& placement);

/// The one of these that is for the network's kind.
[[nodiscard]] Bound network_bound(const Network& network, const Placement& placement);

}  // namespace aapc
