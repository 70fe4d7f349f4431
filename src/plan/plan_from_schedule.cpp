#include <algorithm>

#include "aapc/plan.hpp"
#include "aapc/schedule.hpp"
#include "plan/forwarding.hpp"

namespace aapc {

namespace {

std::int32_t step_of(const std::vector<Transfer>& transfers, const Transfer& transfer) {
    return static_cast<std::int32_t>(std::lower_bound(transfers.begin(), transfers.end(), transfer) -
                                     transfers.begin());
}

}  // namespace

Plan plan_from_schedule(const Schedule& schedule, const std::vector<Edge>& edges, Rank rank,
                        const Synchronisation& synchronisation) {
    Plan plan;
    plan.rank = rank;
    plan.participants = schedule.demand().participants();
    plan.phases = static_cast<Phase>(schedule.phases().size());
    plan.synchronisation = synchronisation;
    for (const std::vector<Transfer>& phase : schedule.phases()) {
        for (const Transfer& transfer : phase) {
            if (transfer.from == rank) {
                plan.sends.push_back(transfer);
            }
            if (transfer.to == rank) {
                plan.receives.push_back(transfer);
            }
        }
    }
    if (schedule.forwards()) {
        plan.forwarding = plan_forwarding(schedule, rank, plan.sends, plan.receives);
    }
    for (const Edge& edge : edges) {
        const Rank signalling = signaller(synchronisation, edge);
        if (edge.before.from == rank) {
            plan.waits.push_back({step_of(plan.sends, edge.before), signalling});
        }
        if (signalling == rank) {
            const auto& own = token_giver(synchronisation) == TokenGiver::receiver ? plan.receives : plan.sends;
            plan.signals.push_back({step_of(own, edge.after), edge.before.from});
        }
    }
    for (const Transfer& dummy : dummy_transfers(schedule, synchronisation)) {
        if (dummy.from == rank) {
            plan.dummy_sends.push_back(dummy);
        }
        if (dummy.to == rank) {
            plan.dummy_receives.push_back(dummy);
        }
    }
    std::sort(plan.waits.begin(), plan.waits.end());
    std::sort(plan.signals.begin(), plan.signals.end());
    return plan;
}

}  // namespace aapc
