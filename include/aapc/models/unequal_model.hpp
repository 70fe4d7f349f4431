/// @file
/// What exchanges of unequal messages should take.
#pragma once

#include <cstdint>

#include "aapc/demand/demand.hpp"
#include "aapc/demand/link_loads.hpp"
#include "aapc/methods/unequal_exchange.hpp"
#include "aapc/models/method_model.hpp"
#include "aapc/models/network_model.hpp"
#include "aapc/statistics/statistics.hpp"
#include "aapc/topology/bound.hpp"

namespace aapc {

/// The bytes of a message between two different ranks on average, rounded up; 0 where nobody has anything.
[[nodiscard]] std::int64_t mean_message_bytes(const Demand& demand);

/// The MPI's own routine: it is taken to lose of the demand's bound what it loses of the bound of equal messages of the
/// same mean length. `native` is its model, `equal` the bound of network and placement. Where no message crosses a link
/// it is the time of equal messages.
[[nodiscard]] Estimate predict_native_unequal(const MethodModel& native, const Bound& equal, const DemandBound& bound,
                                              std::int64_t mean_bytes);

/// By the clock: the segments' schedule at `pace`, and before it the reduction that finds the bound, there and back,
/// and the common start, log2(participants) start-ups each time. `start_up_seconds` is largest_start_up_seconds(), or 0
/// where nobody measured it.
[[nodiscard]] double predict_timed_unequal(const UnequalExchange& exchange, double pace, Rank participants,
                                           double start_up_seconds);

/// The longest start-up of a message that was measured, in seconds: alpha of any cluster or of the wide area.
[[nodiscard]] double largest_start_up_seconds(const NetworkModel& model);

}  // namespace aapc
