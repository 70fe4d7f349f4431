#include "aapc/plan.hpp"

#include <algorithm>

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

}  // namespace

std::size_t Plan::bytes() const {
    return (sends.capacity() + receives.capacity()) * sizeof(Transfer) +
           (waits.capacity() + signals.capacity()) * sizeof(Token);
}

Plan make_plan(const Timetable& timetable, Rank rank, const Synchronisation& synchronisation) {
    Plan plan;
    plan.rank = rank;
    plan.participants = timetable.participants();
    plan.phases = timetable.phases();
    plan.synchronisation = synchronisation;
    plan.sends = timetable.sends_of(rank);
    plan.receives = timetable.receives_of(rank);
    if (uses_edges(synchronisation)) {
        add_waits(timetable, plan);
        add_signals(timetable, plan);
    }
    return plan;
}

}  // namespace aapc
