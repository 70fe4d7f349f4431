#include "aapc/offline/make_schedule.hpp"

#include <optional>
#include <string>
#include <utility>

#include "aapc/algorithms/algorithm.hpp"
#include "aapc/offline/tabulate.hpp"

namespace aapc {

namespace {

/// What is wrong with the order of the messages, or with the dummies between them, if anything.
std::optional<Violation> check_order(const Schedule& schedule, const Synchronisation& synchronisation,
                                     const std::vector<Edge>& edges) {
    if (auto violation = check_synchronisation(schedule, synchronisation, edges)) {
        return violation;
    }
    if (synchronisation.kind == Synchronisation::Kind::dummy) {
        return check_dummies(schedule, dummy_transfers(schedule, synchronisation));
    }
    return std::nullopt;
}

}  // namespace

Expected<SynchronisedSchedule, Violation> make_schedule(const Prepared& prepared, const Network& network,
                                                        const Placement& placement, Reduction reduction) {
    const Method& method = prepared.method;
    auto schedule = schedule_of_timetable(*prepared.timetable, std::string(method.algorithm->name), method.variant,
                                          prepared.bound_messages, network, placement);
    if (!schedule) {
        return tl::unexpected(std::move(schedule.error()));
    }
    std::vector<Edge> edges = synchronisation_edges(*schedule, method.synchronisation, reduction);
    if (auto violation = check_order(*schedule, method.synchronisation, edges)) {
        return tl::unexpected(std::move(*violation));
    }
    return SynchronisedSchedule{std::move(*schedule), std::move(edges)};
}

}  // namespace aapc
