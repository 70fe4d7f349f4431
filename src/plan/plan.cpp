#include "aapc/plan/plan.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <numeric>
#include <utility>

#include "plan/block_places.hpp"

namespace aapc {

namespace {

/// The process that gives the signal once `transfer` is complete.
Rank signaller_of(const Synchronisation& synchronisation, const Transfer& transfer) {
    return token_giver(synchronisation) == TokenGiver::receiver ? transfer.to : transfer.from;
}

/// The messages whose completion this rank signals.
const std::vector<Transfer>& signalled(const Plan& plan) {
    return token_giver(plan.synchronisation) == TokenGiver::receiver ? plan.receives : plan.sends;
}

/// `sender`: the next message of the same sender needs no token, program order serves.
bool needs_token(const Synchronisation& synchronisation, const Transfer& after, const Transfer& before) {
    return token_giver(synchronisation) == TokenGiver::receiver || after.from != before.from;
}

void sort_tokens(std::vector<Token>& tokens) { std::sort(tokens.begin(), tokens.end()); }

/// The pair rule seen from the waiter: going through its own messages in order, an edge from a peer is kept if its
/// `after` is later than all before it.
void add_waits(const Timetable& timetable, Plan& plan) {
    std::vector<Phase> latest(static_cast<std::size_t>(plan.participants), -1);
    std::vector<Transfer> users;
    for (std::size_t step = 0; step < plan.sends.size(); ++step) {
        users.clear();
        timetable.append_previous_users(plan.sends[step], users);
        // Latest first, so that of several edges from one peer the one that implies the others comes first.
        std::sort(users.begin(), users.end(), std::greater<>());
        for (const Transfer& after : users) {
            const Rank peer = signaller_of(plan.synchronisation, after);
            Phase& known = latest[static_cast<std::size_t>(peer)];
            if (needs_token(plan.synchronisation, after, plan.sends[step]) && after.phase > known) {
                known = after.phase;
                if (has_token_between(plan.synchronisation, after.phase, plan.sends[step].phase)) {
                    plan.waits.push_back({static_cast<std::int32_t>(step), peer});
                }
            }
        }
    }
    sort_tokens(plan.waits);
}

/// The same rule from the other end: going backwards, an edge to a peer is kept if its `before` is earlier than all
/// behind it.
void add_signals(const Timetable& timetable, Plan& plan) {
    const std::vector<Transfer>& own = signalled(plan);
    std::vector<Phase> earliest(static_cast<std::size_t>(plan.participants), plan.phases);
    std::vector<Transfer> users;
    for (std::size_t step = own.size(); step-- > 0;) {
        users.clear();
        timetable.append_next_users(own[step], users);
        std::sort(users.begin(), users.end());
        for (const Transfer& before : users) {
            Phase& known = earliest[static_cast<std::size_t>(before.from)];
            if (needs_token(plan.synchronisation, own[step], before) && before.phase < known) {
                known = before.phase;
                if (has_token_between(plan.synchronisation, own[step].phase, before.phase)) {
                    plan.signals.push_back({static_cast<std::int32_t>(step), before.from});
                }
            }
        }
    }
    sort_tokens(plan.signals);
}

/// One bit a phase: whether none of `transfers` is in it.
std::vector<bool> idle_phases(const std::vector<Transfer>& transfers, Phase phases) {
    std::vector<bool> idle(static_cast<std::size_t>(phases), true);
    for (const Transfer& transfer : transfers) {
        idle[static_cast<std::size_t>(transfer.phase)] = false;
    }
    return idle;
}

/// A rank of the switch and the phases in which it has nothing to do.
struct Neighbour {
    Rank rank;
    std::vector<bool> sends_nothing;
    std::vector<bool> receives_nothing;
};

/// Who receives the dummies of one phase: each sender in turn gets the first receiver that is left and not itself.
class IdleReceivers {
  public:
    IdleReceivers(const std::vector<Neighbour>& neighbours, std::size_t phase) {
        for (const Neighbour& neighbour : neighbours) {
            if (neighbour.receives_nothing[phase]) {
                ranks_.push_back(neighbour.rank);
            }
        }
    }

    /// The receiver for `sender`, or `sender` if no rank is left. Senders come in ascending order, so only one rank at
    /// a time can be the one that was passed over.
    [[nodiscard]] Rank take(Rank sender) {
        const std::size_t choice = next_ < ranks_.size() && ranks_[next_] == sender ? next_ + 1 : next_;
        if (choice >= ranks_.size()) {
            return sender;
        }
        std::swap(ranks_[next_], ranks_[choice]);
        return ranks_[next_++];
    }

  private:
    std::vector<Rank> ranks_;  ///< ascending from next_ on, for who was passed over is lower than all behind
    std::size_t next_ = 0;
};

/// The ranks of a switch agree on their dummies without talking, because each goes through the idle phases of all.
void add_dummies(const Timetable& timetable, Plan& plan) {
    std::vector<Neighbour> neighbours;
    for (const Rank rank : timetable.ranks_of_switch(plan.rank)) {
        neighbours.push_back({rank, idle_phases(timetable.sends_of(rank), plan.phases),
                              idle_phases(timetable.receives_of(rank), plan.phases)});
    }
    for (std::size_t phase = 0; phase < static_cast<std::size_t>(plan.phases); ++phase) {
        IdleReceivers receivers(neighbours, phase);
        for (const Neighbour& sender : neighbours) {
            if (!sender.sends_nothing[phase]) {
                continue;
            }
            const Transfer dummy{static_cast<Phase>(phase), sender.rank, receivers.take(sender.rank)};
            if (dummy.from == plan.rank) {
                plan.dummy_sends.push_back(dummy);
            }
            if (dummy.to == plan.rank) {
                plan.dummy_receives.push_back(dummy);
            }
        }
    }
}

bool is_inside(const Plan& plan, Rank other) {
    return std::binary_search(plan.ranks_of_machine.begin(), plan.ranks_of_machine.end(), other);
}

/// Appends what crosses the border of the plan's machine.
void append_crossing(const Plan& plan, const std::vector<Transfer>& transfers, std::vector<Transfer>& out) {
    std::copy_if(transfers.begin(), transfers.end(), std::back_inserter(out), [&](const Transfer& transfer) {
        return !is_inside(plan, transfer.from) || !is_inside(plan, transfer.to);
    });
}

std::vector<std::int64_t> places_in(const std::vector<Transfer>& queue, const std::vector<Transfer>& own) {
    std::vector<std::int64_t> places;
    places.reserve(own.size());
    for (const Transfer& transfer : own) {
        places.push_back(std::lower_bound(queue.begin(), queue.end(), transfer) - queue.begin());
    }
    return places;
}

void add_tickets(const Timetable& timetable, Plan& plan) {
    std::vector<Transfer> sends;
    std::vector<Transfer> receives;
    for (const Rank rank : plan.ranks_of_machine) {
        append_crossing(plan, timetable.sends_of(rank), sends);
        append_crossing(plan, timetable.receives_of(rank), receives);
    }
    std::sort(sends.begin(), sends.end());
    std::sort(receives.begin(), receives.end());
    std::vector<Transfer> own_sends;
    std::vector<Transfer> own_receives;
    append_crossing(plan, plan.sends, own_sends);
    append_crossing(plan, plan.receives, own_receives);
    plan.tickets = Plan::Tickets{places_in(sends, own_sends), places_in(receives, own_receives),
                                 static_cast<std::int64_t>(sends.size()), static_cast<std::int64_t>(receives.size())};
}

std::size_t bytes_of(const std::vector<std::vector<BlockRun>>& messages) {
    return std::accumulate(messages.begin(), messages.end(), messages.capacity() * sizeof(std::vector<BlockRun>),
                           [](std::size_t sum, const auto& runs) { return sum + runs.capacity() * sizeof(BlockRun); });
}

}  // namespace

std::size_t Plan::bytes() const {
    return (sends.capacity() + receives.capacity() + dummy_sends.capacity() + dummy_receives.capacity()) *
               sizeof(Transfer) +
           (waits.capacity() + signals.capacity()) * sizeof(Token) + ranks_of_machine.capacity() * sizeof(Rank) +
           (tickets ? (tickets->of_send.capacity() + tickets->of_receive.capacity()) * sizeof(std::int64_t) : 0) +
           (forwarding ? bytes_of(forwarding->of_send) + bytes_of(forwarding->of_receive) : 0);
}

Plan make_plan(const Timetable& timetable, Rank rank, const Synchronisation& synchronisation) {
    Plan plan;
    plan.rank = rank;
    plan.participants = timetable.participants();
    plan.phases = timetable.phases();
    plan.cycle = timetable.cycle();
    plan.synchronisation = synchronisation;
    plan.sends = timetable.sends_of(rank);
    plan.receives = timetable.receives_of(rank);
    if (timetable.forwards()) {
        plan.forwarding = plan_forwarding(
            rank, plan.sends, plan.receives,
            [&](const Transfer& transfer, std::vector<Block>& blocks) { timetable.append_blocks(transfer, blocks); });
    }
    if (uses_edges(synchronisation)) {
        add_waits(timetable, plan);
        add_signals(timetable, plan);
    }
    if (synchronisation.kind == Synchronisation::Kind::dummy) {
        add_dummies(timetable, plan);
    }
    return plan;
}

Plan make_plan(const Timetable& timetable, const Placement& placement, Rank rank,
               const Synchronisation& synchronisation) {
    Plan plan = make_plan(timetable, rank, synchronisation);
    plan.ranks_of_machine = ranks_beside(placement, rank);
    if (synchronisation.kind == Synchronisation::Kind::ports) {
        add_tickets(timetable, plan);
    }
    return plan;
}

}  // namespace aapc
