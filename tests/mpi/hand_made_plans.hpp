/// @file
/// Plans that no algorithm of the table makes, for the corners of the executor.
#pragma once

#include <vector>

#include "aapc/plan/plan.hpp"

namespace aapc::test {

/// Every message of a phase goes to the next rank, one block at a time: the block for the rank h places ahead takes h
/// hops. All runs are single, and a rank's only place in transit is sent from and received into in one phase.
inline Plan relay_plan(Rank rank, Rank ranks, const Synchronisation& synchronisation) {
    using Buffer = BlockRun::Buffer;
    Plan plan;
    plan.rank = rank;
    plan.participants = ranks;
    plan.synchronisation = synchronisation;
    Forwarding forwarding;
    forwarding.largest_message_blocks = ranks > 1 ? 1 : 0;
    forwarding.transit_blocks = ranks > 2 ? 1 : 0;
    const Rank next = (rank + 1) % ranks;
    const Rank previous = (rank + ranks - 1) % ranks;
    for (Rank hops = 1; hops < ranks; ++hops) {
        for (Rank hop = 1; hop <= hops; ++hop) {
            plan.sends.push_back({plan.phases, rank, next});
            plan.receives.push_back({plan.phases, previous, rank});
            forwarding.of_send.push_back(
                {hop == 1 ? BlockRun{Buffer::send, (rank + hops) % ranks, 1} : BlockRun{Buffer::transit, 0, 1}});
            forwarding.of_receive.push_back({hop == hops ? BlockRun{Buffer::receive, (rank + ranks - hops) % ranks, 1}
                                                         : BlockRun{Buffer::transit, 0, 1}});
            ++plan.phases;
        }
    }
    plan.forwarding = forwarding;
    return plan;
}

/// The same ring with everything in one message: in phase k a rank passes on all that it got in phase k-1 and is not
/// for it. Every message has one block less; most have several runs, and one comes in while its place is sent from.
inline Plan bundle_plan(Rank rank, Rank ranks, const Synchronisation& synchronisation) {
    using Buffer = BlockRun::Buffer;
    Plan plan;
    plan.rank = rank;
    plan.participants = ranks;
    plan.synchronisation = synchronisation;
    plan.phases = ranks - 1;
    Forwarding forwarding;
    forwarding.largest_message_blocks = ranks - 1;
    forwarding.transit_blocks = ranks > 2 ? ranks - 2 : 0;
    for (Phase phase = 0; phase < plan.phases; ++phase) {
        const Rank blocks = ranks - 1 - static_cast<Rank>(phase);
        plan.sends.push_back({phase, rank, (rank + 1) % ranks});
        plan.receives.push_back({phase, (rank + ranks - 1) % ranks, rank});
        std::vector<BlockRun> sent;
        if (phase > 0) {
            sent.push_back({Buffer::transit, 0, blocks});
        } else {
            if (rank + 1 < ranks) {
                sent.push_back({Buffer::send, rank + 1, ranks - rank - 1});
            }
            if (rank > 0) {
                sent.push_back({Buffer::send, 0, rank});
            }
        }
        forwarding.of_send.push_back(sent);
        const Rank origin = (rank + 2 * ranks - 1 - static_cast<Rank>(phase)) % ranks;
        std::vector<BlockRun> received{{Buffer::receive, origin, 1}};
        if (blocks > 1) {
            received.push_back({Buffer::transit, 0, blocks - 1});
        }
        forwarding.of_receive.push_back(received);
    }
    plan.forwarding = forwarding;
    return plan;
}

/// Gives every rank that is idle in a phase of `timetable` a dummy message, across switches, too: the k-th rank that
/// sends nothing sends to the k-th that receives nothing, counted in opposite directions. More than `dummy` itself ever
/// asks for.
inline void add_dummies_everywhere(const Timetable& timetable, Plan& plan) {
    const auto phases = static_cast<std::size_t>(timetable.phases());
    std::vector<std::vector<Rank>> senders(phases);
    std::vector<std::vector<Rank>> receivers(phases);
    for (Rank rank = 0; rank < timetable.participants(); ++rank) {
        std::vector<bool> sends(phases);
        std::vector<bool> receives(phases);
        for (const Transfer& transfer : timetable.sends_of(rank)) {
            sends[static_cast<std::size_t>(transfer.phase)] = true;
        }
        for (const Transfer& transfer : timetable.receives_of(rank)) {
            receives[static_cast<std::size_t>(transfer.phase)] = true;
        }
        for (std::size_t phase = 0; phase < phases; ++phase) {
            if (!sends[phase]) {
                senders[phase].push_back(rank);
            }
            if (!receives[phase]) {
                receivers[phase].push_back(rank);
            }
        }
    }
    plan.dummy_sends.clear();
    plan.dummy_receives.clear();
    for (std::size_t phase = 0; phase < phases; ++phase) {
        for (std::size_t index = 0; index < senders[phase].size(); ++index) {
            const Transfer dummy{static_cast<Phase>(phase), senders[phase][index],
                                 receivers[phase][receivers[phase].size() - 1 - index]};
            if (dummy.from == plan.rank) {
                plan.dummy_sends.push_back(dummy);
            }
            if (dummy.to == plan.rank) {
                plan.dummy_receives.push_back(dummy);
            }
        }
    }
}

}  // namespace aapc::test
