#include "aapc/methods/unequal_exchange.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "aapc/plan/plan.hpp"
#include "aapc/plan/unequal.hpp"

namespace aapc {

namespace {

/// The bound of what `counts_of(rank)` says that each rank puts on the wire.
template <class CountsOf>
DemandBound bound_of(const LinkLoads& loads, Rank participants, CountsOf counts_of) {
    std::vector<std::int64_t> all(loads.size(), 0);
    std::vector<std::int64_t> share(loads.size());
    std::int64_t maxima = 0;
    for (Rank rank = 0; rank < participants; ++rank) {
        const WireCounts counts = counts_of(rank);
        loads.write_share(rank, counts.to, counts.from, share);
        loads.combine(share, all);
        maxima += share[loads.sums()];
    }
    return loads.bound(all, maxima / std::max<Rank>(participants, 1));
}

/// A rank's plan without the messages inside its machine.
Plan plan_across(const Timetable& timetable, const Placement& placement, Rank rank) {
    Plan plan = make_plan(timetable, rank, Synchronisation::none);
    const auto is_beside = [&](Rank other) {
        return placement.machine_of[static_cast<std::size_t>(other)] ==
               placement.machine_of[static_cast<std::size_t>(rank)];
    };
    std::erase_if(plan.sends, [&](const Transfer& send) { return is_beside(send.to); });
    std::erase_if(plan.receives, [&](const Transfer& receive) { return is_beside(receive.from); });
    return plan;
}

}  // namespace

Expected<DemandBound> demand_bound(const Network& network, const Placement& placement, const Demand& demand) {
    const Expected<LinkLoads> loads = LinkLoads::find(network, placement);
    if (!loads) {
        return failure(loads.error());
    }
    return bound_of(*loads, placement.participants(), [&](Rank rank) {
        const auto row = demand.row(rank);
        return WireCounts{{row.begin(), row.end()}, demand.column(rank)};
    });
}

Expected<UnequalExchange> examine_unequal_exchange(const Network& network, const Placement& placement,
                                                   const Timetable& timetable, const Cadence& cadence,
                                                   std::int64_t segment_bytes, const Demand& demand) {
    const Expected<LinkLoads> loads = LinkLoads::find(network, placement);
    if (!loads) {
        return failure(loads.error());
    }
    const Rank participants = placement.participants();
    UnequalExchange exchange;
    exchange.bound = bound_of(*loads, participants, [&](Rank rank) {
        return wire_counts(cadence, segment_bytes, demand.row(rank), demand.column(rank));
    });
    SegmentedExchange& segments = exchange.segments;
    for (Rank rank = 0; rank < participants; ++rank) {
        const RouteTree routes = route_tree(network, placement, rank);
        const UnequalPlan plan =
            make_unequal_plan(plan_across(timetable, placement, rank), cadence, segment_bytes, exchange.bound.seconds(),
                              demand.row(rank), demand.column(rank), &routes);
        for (const TimedSegment& send : plan.sends) {
            segments.sent.push_back({rank, send.peer, send.offset, send.bytes, send.start_seconds});
        }
        for (const TimedSegment& receive : plan.receives) {
            segments.received.push_back({receive.peer, rank, receive.offset, receive.bytes, receive.start_seconds});
        }
        exchange.cycle_seconds = plan.cycle_seconds;
        exchange.drain_seconds = plan.drain_seconds;
    }
    segments.cycle_seconds = exchange.cycle_seconds;
    segments.bytes = [&demand](Rank from, Rank to) { return demand.bytes(from, to); };
    segments.wire_bytes = [cadence](std::int64_t bytes) { return bytes_sent(bytes, cadence.wire); };
    segments.answer_bytes = [cadence](std::int64_t bytes) {
        return wire_bytes(bytes, cadence.wire) - bytes_sent(bytes, cadence.wire);
    };
    Expected<QueueCertificate, Violation> queues = certify_segments(network, placement, segments);
    if (!queues) {
        return failure("internal error: " + queues.error().what, "please report this with topology file and demand");
    }
    exchange.queues = std::move(*queues);
    return exchange;
}

}  // namespace aapc
