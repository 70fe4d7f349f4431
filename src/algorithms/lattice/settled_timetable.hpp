/// @file
/// The lattice's variant `settled`: slots from a search, kept as a table.
#pragma once

#include <memory>

#include "aapc/timetable/tick_table.hpp"
#include "algorithms/lattice/positions.hpp"
#include "algorithms/lattice/settle.hpp"
#include "algorithms/lattice/traffic.hpp"

namespace aapc::lattice {

/// The timetable of a settlement that succeeded. Within its slot a message starts when its machine's card has sent the
/// machine's earlier messages of that slot, which matters for cards faster than the slots'. Messages inside machines,
/// which cross no link, are spread over the cycle. `bound_seconds_per_byte` as Cycle has it.
[[nodiscard]] std::unique_ptr<TickTable> settled_timetable(const Positions& places, const Traffic& traffic,
                                                           const Settlement& settlement, double bound_seconds_per_byte);

}  // namespace aapc::lattice
