/// @file
/// Which links can bind, and what one rank puts on them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "aapc/input/diagnostic.hpp"
#include "aapc/topology/network.hpp"
#include "aapc/topology/placement.hpp"
#include "input/polymorphic.hpp"
#include "topology/listing.hpp"

namespace aapc::demand {

using listing::index;

/// One rank's share of the loads that are summed.
class LoadShares : public Polymorphic {
  public:
    /// Writes what `rank` puts on each of these links if it has `to` for every rank.
    virtual void write(Rank rank, std::span<const std::int64_t> to, std::span<std::int64_t> sums) const = 0;

    /// How long the slowest of its messages takes by itself, in nanoseconds; 0 where the links bind before.
    [[nodiscard]] virtual std::int64_t slowest_message(Rank rank, std::span<const std::int64_t> to) const = 0;
};

/// The links that can bind.
struct SummedLinks {
    std::vector<DirectedLink> links;
    std::vector<std::int64_t> speeds;      ///< of each, bits a second
    std::vector<std::int64_t> own_speeds;  ///< by rank: of the slowest link that it alone fills; 0: there is none
    std::unique_ptr<const LoadShares> shares;
};

[[nodiscard]] Expected<SummedLinks> find_in_tree(const Network& network, const Placement& placement);
[[nodiscard]] Expected<SummedLinks> find_in_torus(const Network& network, const Placement& placement);
[[nodiscard]] Expected<SummedLinks> find_in_fabric(const Network& network, const Placement& placement);

/// The speed as a whole number of bits a second, at least 1, or a diagnostic if it is not known.
[[nodiscard]] Expected<std::int64_t> whole_speed(const Network& network, std::int32_t link);

}  // namespace aapc::demand
