/// @file
/// An exchange of unequal messages as a whole, from a matrix: all ranks' plans together, certified. For tools; in a
/// running call each rank makes its part (aapc/plan/unequal.hpp).
#pragma once

#include <cstdint>

#include "aapc/check/segments.hpp"
#include "aapc/input/diagnostic.hpp"
#include "aapc/plan/pacing.hpp"
#include "aapc/timetable/timetable.hpp"
#include "aapc/topology/demand.hpp"
#include "aapc/topology/link_loads.hpp"
#include "aapc/topology/network.hpp"
#include "aapc/topology/placement.hpp"

namespace aapc {

/// The time-triggered exchange of a demand by a timetable.
struct UnequalExchange {
    DemandBound bound;         ///< of the bytes on the wire, headers and acknowledgements included
    double cycle_seconds = 0;  ///< the exchange at full pace
    double drain_seconds = 0;  ///< until the last segment has arrived
    SegmentedExchange segments;
    QueueCertificate queues;
};

/// The bound for the bytes of the messages alone, without headers: max load / speed. A diagnostic if the speed of a
/// link is not known. O(participants · (vertices + links)).
[[nodiscard]] Expected<DemandBound> demand_bound(const Network& network, const Placement& placement,
                                                 const Demand& demand);

/// Makes the plans of all ranks and certifies them. `timetable` forwards no blocks, `cadence` is its cadence there,
/// `segment_bytes` 0 or forced. Messages inside machines are left out, since they cross no link. A diagnostic if speeds
/// are not known, or the certificate finds a violation, which would be a mistake of this program. O(P·(P + vertices) +
/// U log U) for the U segments on all routes together.
[[nodiscard]] Expected<UnequalExchange> examine_unequal_exchange(const Network& network, const Placement& placement,
                                                                 const Timetable& timetable, const Cadence& cadence,
                                                                 std::int64_t segment_bytes, const Demand& demand);

}  // namespace aapc
