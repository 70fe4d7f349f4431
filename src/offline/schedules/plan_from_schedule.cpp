#include "aapc/offline/plan_from_schedule.hpp"

#include <algorithm>

#include "aapc/offline/synchronise.hpp"
#include "plan/block_places.hpp"

namespace aapc {

namespace {

std::int32_t step_of(const std::vector<Transfer>& transfers, const Transfer& transfer) {
    return static_cast<std::int32_t>(std::lower_bound(transfers.begin(), transfers.end(), transfer) -
                                     transfers.begin());
}

void append_blocks(const Schedule& schedule, const Transfer& transfer, std::vector<Block>& blocks) {
    const auto phase = static_cast<std::size_t>(transfer.phase);
    const std::vector<Transfer>& messages = schedule.phases()[phase];
    const auto index = std::find(messages.begin(), messages.end(), transfer) - messages.begin();
    const std::vector<Block>& carried = schedule.blocks()[phase][static_cast<std::size_t>(index)];
    blocks.insert(blocks.end(), carried.begin(), carried.end());
}

/// Goes through the whole table and counts.
Plan::Tickets tickets_of(const Schedule& schedule, Rank rank) {
    const std::vector<Machine>& machine_of = schedule.placement().machine_of;
    const auto machine = [&](Rank other) { return machine_of[static_cast<std::size_t>(other)]; };
    Plan::Tickets tickets;
    for (const std::vector<Transfer>& phase : schedule.phases()) {
        std::vector<Transfer> in_order = phase;
        std::sort(in_order.begin(), in_order.end());
        for (const Transfer& transfer : in_order) {
            if (machine(transfer.from) == machine(transfer.to)) {
                continue;
            }
            if (transfer.from == rank) {
                tickets.of_send.push_back(tickets.machine_sends);
            }
            if (transfer.to == rank) {
                tickets.of_receive.push_back(tickets.machine_receives);
            }
            tickets.machine_sends += machine(transfer.from) == machine(rank) ? 1 : 0;
            tickets.machine_receives += machine(transfer.to) == machine(rank) ? 1 : 0;
        }
    }
    return tickets;
}

Plan plan_of(const Schedule& schedule, const std::vector<Edge>& edges, const std::vector<Transfer>& dummies, Rank rank,
             const Synchronisation& synchronisation) {
    Plan plan;
    plan.rank = rank;
    plan.participants = schedule.placement().participants();
    plan.phases = schedule.cycle() ? schedule.ticks() : static_cast<Phase>(schedule.phases().size());
    plan.cycle = schedule.cycle();
    plan.synchronisation = synchronisation;
    schedule.for_each_message([&](const Transfer& transfer) {
        if (transfer.from == rank) {
            plan.sends.push_back(transfer);
        }
        if (transfer.to == rank) {
            plan.receives.push_back(transfer);
        }
    });
    if (schedule.forwards()) {
        plan.forwarding = plan_forwarding(
            rank, plan.sends, plan.receives,
            [&](const Transfer& transfer, std::vector<Block>& blocks) { append_blocks(schedule, transfer, blocks); });
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
    for (const Transfer& dummy : dummies) {
        if (dummy.from == rank) {
            plan.dummy_sends.push_back(dummy);
        }
        if (dummy.to == rank) {
            plan.dummy_receives.push_back(dummy);
        }
    }
    plan.ranks_of_machine = ranks_beside(schedule.placement(), rank);
    if (synchronisation.kind == Synchronisation::Kind::ports) {
        plan.tickets = tickets_of(schedule, rank);
    }
    std::sort(plan.waits.begin(), plan.waits.end());
    std::sort(plan.signals.begin(), plan.signals.end());
    return plan;
}

}  // namespace

Plan plan_from_schedule(const Schedule& schedule, const std::vector<Edge>& edges, Rank rank,
                        const Synchronisation& synchronisation) {
    return plan_of(schedule, edges, dummy_transfers(schedule, synchronisation), rank, synchronisation);
}

std::vector<Plan> plans_from_schedule(const Schedule& schedule, const std::vector<Edge>& edges,
                                      const Synchronisation& synchronisation) {
    const std::vector<Transfer> dummies = dummy_transfers(schedule, synchronisation);
    const Rank ranks = schedule.placement().participants();
    std::vector<Plan> plans;
    plans.reserve(static_cast<std::size_t>(ranks));
    for (Rank rank = 0; rank < ranks; ++rank) {
        plans.push_back(plan_of(schedule, edges, dummies, rank, synchronisation));
    }
    return plans;
}

}  // namespace aapc
