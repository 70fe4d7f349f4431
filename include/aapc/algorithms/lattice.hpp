/// @file
/// Settled slots of the clocked lattice (algorithm `lattice`, docs/lattice.md), made with as much work as one likes:
/// for schedules that are made beforehand. At set-up the algorithm's variant `settled` makes them where little work
/// does.
#pragma once

#include <cstdint>
#include <memory>

#include "aapc/input/diagnostic.hpp"
#include "aapc/timetable/timetable.hpp"
#include "aapc/topology/network.hpp"
#include "aapc/topology/placement.hpp"

namespace aapc {

/// A second or two, in the unit of settled_lattice()'s `work`.
inline constexpr std::int64_t usual_work_offline = 1'000'000'000;

/// A timetable with a cycle of whole slots in none of which a link is asked for more than it carries: no queue at all
/// where speeds are whole multiples of the slowest machine's, less than a message more for every other one. At most
/// `work` is spent (some 3 ns each), which decides the result, not time: the same on every machine. The cycle is the
/// bound's slots, rounded up, if that can be had, and otherwise at most 1.02 times the bound (1.03 on a torus). A
/// diagnostic if no slots were found, or the network is not what its kind says.
[[nodiscard]] Expected<std::unique_ptr<Timetable>> settled_lattice(const Network& network, const Placement& placement,
                                                                   std::int64_t work = usual_work_offline);

}  // namespace aapc
