#include <algorithm>
#include <vector>

#include "aapc/check/schedule.hpp"
#include "aapc/offline/synchronise.hpp"
#include "aapc/timetable/synchronisation.hpp"
#include "aapc/topology/routes.hpp"

namespace aapc {

std::vector<Edge> synchronisation_candidates(const Schedule& schedule) {
    const Network& network = schedule.network();
    const Placement& placement = schedule.placement();
    const auto routes = Routes::find(network);  // there are some: the checker has passed the schedule
    const auto machine_of = [&](Rank rank) { return placement.machine_of[static_cast<std::size_t>(rank)]; };
    // The last user of each directed link so far, and of each rank's port in either direction behind them.
    const std::size_t ports = 2 * network.links().size();
    std::vector<Transfer> last(ports + 2 * static_cast<std::size_t>(placement.participants()));
    std::vector<Edge> candidates;
    std::vector<DirectedLink> route;
    for (const std::vector<Transfer>& phase : schedule.phases()) {
        for (const Transfer& transfer : phase) {
            const std::size_t begin = candidates.size();
            const auto use = [&](std::size_t channel) {
                if (last[channel].from >= 0) {
                    candidates.push_back({last[channel], transfer});
                }
                last[channel] = transfer;
            };
            use(ports + 2 * static_cast<std::size_t>(transfer.from));
            route.clear();
            routes->append(machine_of(transfer.from), machine_of(transfer.to), route);
            for (const DirectedLink link : route) {
                use(static_cast<std::size_t>(link));
            }
            use(ports + 2 * static_cast<std::size_t>(transfer.to) + 1);
            const auto first = candidates.begin() + static_cast<std::ptrdiff_t>(begin);
            std::sort(first, candidates.end());
            candidates.erase(std::unique(first, candidates.end()), candidates.end());
        }
    }
    std::sort(candidates.begin(), candidates.end());
    return candidates;
}

}  // namespace aapc
