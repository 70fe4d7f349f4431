#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "aapc/check/schedule.hpp"
#include "aapc/offline/synchronise.hpp"
#include "aapc/timetable/synchronisation.hpp"

namespace aapc {

namespace {

/// The participants by the vertex that their machine hangs from, ascending. A machine that hangs from no switch
/// stands for itself.
std::map<Vertex, std::vector<Rank>> ranks_by_switch(const Network& network, const Placement& placement) {
    std::map<Vertex, std::vector<Rank>> ranks;
    for (Rank rank = 0; rank < placement.participants(); ++rank) {
        const Machine machine = placement.machine_of[static_cast<std::size_t>(rank)];
        const Vertex vertex = network.machines()[static_cast<std::size_t>(machine)].vertex;
        const std::vector<std::int32_t>& links = network.links_at(vertex);
        const Vertex end = links.empty() ? vertex : network.other_end(links.front(), vertex);
        ranks[network.vertices()[static_cast<std::size_t>(end)].is_switch ? end : vertex].push_back(rank);
    }
    return ranks;
}

/// What each rank does in one phase.
struct Activity {
    std::vector<bool> sends;
    std::vector<bool> receives;
};

Activity activity_of(const std::vector<Transfer>& phase, Rank participants) {
    Activity activity{std::vector<bool>(static_cast<std::size_t>(participants), false),
                      std::vector<bool>(static_cast<std::size_t>(participants), false)};
    for (const Transfer& message : phase) {
        activity.sends[static_cast<std::size_t>(message.from)] = true;
        activity.receives[static_cast<std::size_t>(message.to)] = true;
    }
    return activity;
}

void append_dummies(const std::vector<Rank>& ranks, const Activity& activity, Phase phase, std::vector<Transfer>& out) {
    std::set<Rank> free;
    for (const Rank rank : ranks) {
        if (!activity.receives[static_cast<std::size_t>(rank)]) {
            free.insert(rank);
        }
    }
    for (const Rank sender : ranks) {
        if (activity.sends[static_cast<std::size_t>(sender)]) {
            continue;
        }
        const auto receiver = std::find_if(free.begin(), free.end(), [&](Rank rank) { return rank != sender; });
        if (receiver == free.end()) {
            out.push_back({phase, sender, sender});
        } else {
            out.push_back({phase, sender, *receiver});
            free.erase(receiver);
        }
    }
}

}  // namespace

std::vector<Transfer> dummy_transfers(const Schedule& schedule, const Synchronisation& synchronisation) {
    if (synchronisation.kind != Synchronisation::Kind::dummy || !is_contention_free(schedule.guarantee())) {
        return {};
    }
    const auto switches = ranks_by_switch(schedule.network(), schedule.placement());
    std::vector<Transfer> dummies;
    for (std::size_t phase = 0; phase < schedule.phases().size(); ++phase) {
        const Activity activity = activity_of(schedule.phases()[phase], schedule.placement().participants());
        for (const auto& [vertex, ranks] : switches) {
            append_dummies(ranks, activity, static_cast<Phase>(phase), dummies);
        }
    }
    std::sort(dummies.begin(), dummies.end());
    return dummies;
}

}  // namespace aapc
