/// @file
/// The predicted times of exchanges of unequal messages.
#pragma once

#include <cstdint>

#include "aapc/input/statistics.hpp"
#include "aapc/methods/unequal_exchange.hpp"
#include "aapc/offline/method_model.hpp"
#include "aapc/offline/network_model.hpp"
#include "aapc/topology/bound.hpp"
#include "aapc/topology/demand.hpp"
#include "aapc/topology/link_loads.hpp"

namespace aapc {

/// The bytes of a message between two different ranks on average, rounded up; 0 if no rank has any bytes.
[[nodiscard]] std::int64_t mean_message_bytes(const Demand& demand);

/// Native: assumed to reach the same fraction of the demand's bound as of the bound of equal messages of the same mean
/// length. `native` is its model, `equal` the bound of network and placement. If no message crosses a link, the result
/// is the time of equal messages.
[[nodiscard]] Estimate predict_native_unequal(const MethodModel& native, const Bound& equal, const DemandBound& bound,
                                              std::int64_t mean_bytes);

/// Time-triggered: the segments' schedule at `pace`, and before it the reduction that finds the bound, there and back,
/// and the common start, log2(participants) start-ups each time. `start_up_seconds` is largest_start_up_seconds(), or 0
/// if it was not measured.
[[nodiscard]] double predict_timed_unequal(const UnequalExchange& exchange, double pace, Rank participants,
                                           double start_up_seconds);

/// The longest start-up of a message that was measured, in seconds: alpha of any cluster or of the wide area.
[[nodiscard]] double largest_start_up_seconds(const NetworkModel& model);

}  // namespace aapc
