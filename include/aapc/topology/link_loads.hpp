/// @file
/// The loads of a network's links under a demand that no rank knows as a whole. Each rank knows its share of every
/// link's load. One reduction over all ranks gives all of them the loads, and the same bound.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "aapc/input/diagnostic.hpp"
#include "aapc/topology/network.hpp"
#include "aapc/topology/placement.hpp"

namespace aapc {

namespace demand {
class LoadShares;
struct SummedLinks;
}  // namespace demand

/// The shortest possible time of an exchange of a demand: max over directed links of bytes / speed.
struct DemandBound {
    std::int64_t nanoseconds = 0;  ///< rounded up; 0 where no message crosses a link
    /// The directed link that needs the longest. -1: none, or one that a single rank fills or empties.
    DirectedLink link = -1;
    /// The time of links other than the slowest: the second of those whose loads are summed, or the mean of those that
    /// a rank fills by itself, whichever is longer.
    std::int64_t rest_nanoseconds = 0;

    [[nodiscard]] double seconds() const { return 1e-9 * static_cast<double>(nanoseconds); }
};

/// The time of `bytes` at `bits_per_second` (at least 1), in nanoseconds, rounded up. Exact: in whole numbers alone.
[[nodiscard]] std::int64_t transfer_nanoseconds(std::int64_t bytes, std::int64_t bits_per_second);

/// The layout of a vector of whole numbers with which ranks find the bound of a demand. Each rank writes its share; the
/// first sums() numbers of all shares are added, of the maxima() after them the largest is taken, and bound() reads the
/// result. The same on all ranks by construction.
///
/// The sums are loads of directed links, in bytes on the wire, but only of links that can bind:
/// * A link with a single rank on one of its sides, such as the port of a machine that runs one rank, carries this
///   rank's messages. The rank knows that load by itself, and the maximum says how long the slowest such link takes.
/// * A link of a tree that is at least as fast as all links right below it together is never the busiest; each of those
///   has to be taken into account.
/// * A link that no message can cross carries nothing.
/// In a fabric every cable between switches is summed: along the tables where paths are static, otherwise in even parts
/// over all shortest ways, so that the bound is the even bound.
/// So among n machines of one rank each there is one maximum, and one sum for each direction of a trunk that is slower
/// than what it joins. On a torus there is one for each direction of a link.
///
/// The maximum also has every single message at the speed of the slowest cable of its route: of a bundle it can have
/// one cable only.
class LinkLoads {
  public:
    /// A diagnostic if the speed of a link that messages can cross is not known, or the network is not what its kind
    /// says. O(vertices + links + participants); a torus as its wiring takes, a fabric as FabricRoutes::find().
    [[nodiscard]] static Expected<LinkLoads> find(const Network& network, const Placement& placement);

    /// How many numbers are to be added, the first ones.
    [[nodiscard]] std::size_t sums() const { return links_.size(); }
    /// How many numbers, after those, are maxima.
    [[nodiscard]] static constexpr std::size_t maxima() { return 1; }
    [[nodiscard]] std::size_t size() const { return sums() + maxima(); }
    /// The directed link whose load is that sum.
    [[nodiscard]] DirectedLink link(std::size_t sum) const { return links_[sum]; }

    /// Writes the share of `rank`, size() numbers. `to` has the bytes that it puts on the wire for each rank, `from`
    /// those that each rank puts on the wire for it (>= 0), participants() each. Bytes for itself do not count, nor
    /// those inside its machine. A rank's acknowledgements belong to the bytes that it puts on the wire:
    /// aapc/plan/unequal.hpp adds them. O(vertices) in a tree, O(participants · route) on a torus and in a fabric
    /// with static paths, O(leaf switches · links on ways) in other fabrics. Throws
    /// std::bad_alloc alone.
    void write_share(Rank rank, std::span<const std::int64_t> to, std::span<const std::int64_t> from,
                     std::span<std::int64_t> share) const;

    /// Adds one share to others: the operation of the reduction, associative and commutative.
    void combine(std::span<const std::int64_t> share, std::span<std::int64_t> others) const;

    /// The bound, from all shares combined; `mean_of_maxima` is the mean over all ranks of their shares' maxima, for
    /// `rest_nanoseconds`. O(sums()).
    [[nodiscard]] DemandBound bound(std::span<const std::int64_t> all, std::int64_t mean_of_maxima = 0) const;

  private:
    explicit LinkLoads(demand::SummedLinks summed);

    std::vector<DirectedLink> links_;       ///< whose loads are summed
    std::vector<std::int64_t> speeds_;      ///< by sum: bits a second
    std::vector<std::int64_t> own_speeds_;  ///< by rank: of the slowest link that it alone fills; 0 if none
    std::shared_ptr<const demand::LoadShares> shares_;
};

}  // namespace aapc
