/// @file
/// The two ways to thin out synchronisation candidates.
#pragma once

#include <vector>

#include "aapc/check/schedule.hpp"
#include "aapc/timetable/synchronisation.hpp"

namespace aapc {

/// The transitive reduction: an edge goes if the others imply it. `candidates` are all of a schedule's, so that the
/// messages of one sender form a chain. Vector clocks over these chains, each kept until its last successor has been
/// seen.
[[nodiscard]] std::vector<Edge> reduce_exactly(const Schedule& schedule, const std::vector<Edge>& candidates);

/// The pair rule: of the edges from one signaller to one waiter, x→y goes if there is x'→y' with x' no earlier and y'
/// no later. What is left of a pair increases at both ends.
[[nodiscard]] std::vector<Edge> reduce_by_pairs(std::vector<Edge> edges, const Synchronisation& synchronisation);

}  // namespace aapc
