/// @file
/// From a prepared method to a schedule: written down, checked, with the edges of its synchronisation.
#pragma once

#include <vector>

#include "aapc/check/schedule.hpp"
#include "aapc/methods/preparation.hpp"
#include "aapc/offline/synchronise.hpp"
#include "aapc/topology/network.hpp"
#include "aapc/topology/placement.hpp"

namespace aapc {

/// A schedule that passed the checker, and the edges of its method's synchronisation.
struct SynchronisedSchedule {
    Schedule schedule;
    std::vector<Edge> edges;
};

/// Writes the timetable down, has it checked against network, placement and bound, finds the edges of the method's
/// synchronisation and has these and its dummies checked. `prepared` was prepared for the same network, which must
/// outlive the schedule, and placement. A violation is a mistake of the algorithm or of this library. As long as
/// check_schedule(), synchronisation_edges() and check_synchronisation() take together.
[[nodiscard]] Expected<SynchronisedSchedule, Violation> make_schedule(const Prepared& prepared, const Network& network,
                                                                      const Placement& placement,
                                                                      Reduction reduction = Reduction::pair_rule);

}  // namespace aapc
