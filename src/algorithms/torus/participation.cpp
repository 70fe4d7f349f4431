#include "algorithms/torus/participation.hpp"

#include <fmt/format.h>

namespace aapc::torus {

Expected<Participation> Participation::find(const Network& network, const Placement& placement,
                                            std::string_view algorithm) {
    Participation found;
    found.machine_of_ = placement.machine_of;
    found.rank_on_.assign(network.machines().size(), -1);
    for (Rank rank = 0; rank < placement.participants(); ++rank) {
        Rank& on_machine = found.rank_on_[static_cast<std::size_t>(found.machine_of(rank))];
        if (on_machine >= 0) {
            return failure(fmt::format("algorithm '{}' is for one rank on each machine, and ranks {} and {} are both "
                                       "on {}",
                                       algorithm, on_machine, rank, network.machine_name(found.machine_of(rank))),
                           "start one rank on each machine, or choose another algorithm");
        }
        on_machine = rank;
    }
    return found;
}

}  // namespace aapc::torus
