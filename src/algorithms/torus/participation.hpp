/// @file
/// Which rank runs on which machine of a torus, for algorithms with one rank per machine.
#pragma once

#include <string_view>
#include <vector>

#include "aapc/input/diagnostic.hpp"
#include "aapc/topology/placement.hpp"
#include "aapc/topology/torus.hpp"

namespace aapc::torus {

/// The ranks of a placement as machines of a grid, and the other way round.
class Participation {
  public:
    /// Or why not: two ranks on one machine. `algorithm` is named in the diagnostic.
    [[nodiscard]] static Expected<Participation> find(const Network& network, const Placement& placement,
                                                      std::string_view algorithm);

    [[nodiscard]] Rank ranks() const { return static_cast<Rank>(machine_of_.size()); }
    [[nodiscard]] bool everywhere() const { return machine_of_.size() == rank_on_.size(); }
    [[nodiscard]] Machine machine_of(Rank rank) const { return machine_of_[static_cast<std::size_t>(rank)]; }
    /// The rank on that machine, or -1.
    [[nodiscard]] Rank rank_on(Machine machine) const { return rank_on_[static_cast<std::size_t>(machine)]; }

  private:
    std::vector<Machine> machine_of_;
    std::vector<Rank> rank_on_;
};

}  // namespace aapc::torus
