/// @file
/// A rank's plan by way of the whole table.
#pragma once

#include <vector>

#include "aapc/check/schedule.hpp"
#include "aapc/offline/synchronise.hpp"
#include "aapc/plan/plan.hpp"
#include "aapc/timetable/synchronisation.hpp"

namespace aapc {

/// The plan that make_plan() computes (aapc/plan/plan.hpp), machine included, cut out of the whole table, for tests and
/// for the generator. `edges` as synchronisation_edges() gives them. O(messages of all ranks).
[[nodiscard]] Plan plan_from_schedule(const Schedule& schedule, const std::vector<Edge>& edges, Rank rank,
                                      const Synchronisation& synchronisation);

/// Those of all ranks, in their order.
[[nodiscard]] std::vector<Plan> plans_from_schedule(const Schedule& schedule, const std::vector<Edge>& edges,
                                                    const Synchronisation& synchronisation);

}  // namespace aapc
