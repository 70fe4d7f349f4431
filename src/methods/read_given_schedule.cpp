#include "aapc/methods/read_given_schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "aapc/check/schedule.hpp"

namespace aapc {

namespace {

/// "n0, n1, n2" of the topology, or the beginning of the list.
std::string machine_names(const Network& network) {
    constexpr std::size_t most = 16;
    std::string names;
    for (std::size_t machine = 0; machine < std::min(network.machines().size(), most); ++machine) {
        names += fmt::format("{}{}", machine == 0 ? "" : ", ", network.machine_name(static_cast<Machine>(machine)));
    }
    return network.machines().size() > most ? fmt::format("{}, ... ({} machines)", names, network.machines().size())
                                            : names;
}

GivenSchedule given_schedule(const Schedule& schedule) {
    const std::size_t participants = schedule.placement().machine_of.size();
    std::vector<Phase> start_ticks(participants * participants, 0);
    schedule.for_each_message([&](const Transfer& message) {
        start_ticks[static_cast<std::size_t>(message.from) * participants + static_cast<std::size_t>(message.to)] =
            message.phase;
    });
    return make_given_schedule(schedule.algorithm(), schedule.variant(), schedule.placement().machine_of,
                               schedule.ticks(), *schedule.cycle(), std::move(start_ticks));
}

}  // namespace

Expected<Placement> place_participants(const ScheduleDocument& document, const Network& network,
                                       std::string_view topology) {
    Placement placement;
    placement.machine_of.reserve(document.participants.size());
    for (std::size_t rank = 0; rank < document.participants.size(); ++rank) {
        const Machine machine = network.find_machine(document.participants[rank].machine);
        if (machine < 0) {
            return failure(fmt::format("participants[{}].machine is '{}', and {} has no machine of that name", rank,
                                       document.participants[rank].machine, topology),
                           fmt::format("give the topology file that the schedule was made for, or one of its machines: "
                                       "{}",
                                       machine_names(network)));
        }
        placement.machine_of.push_back(machine);
    }
    return placement;
}

Expected<GivenSchedule> read_given_schedule(std::string_view text, const std::string& file, const Network& network,
                                            std::string_view topology) {
    const auto about_file = [&file](Diagnostic diagnostic) {
        diagnostic.file = file;
        return diagnostic;
    };
    Expected<ScheduleDocument> document = read_schedule_document(text, file);
    if (!document) {
        return failure(std::move(document.error()));
    }
    const Expected<Placement> placement = place_participants(*document, network, topology);
    if (!placement) {
        return failure(about_file(placement.error()));
    }
    const Expected<Schedule, Violation> schedule = check_schedule(std::move(document->draft), network, *placement);
    if (!schedule) {
        return failure(about_file(
            {.problem = schedule.error().what, .advice = "make it again with the topology file that is used here"}));
    }
    if (!schedule->cycle()) {
        return failure(about_file({.problem = "it has phases, which ranks find by themselves, and no cycle",
                                   .advice = "name a schedule of `aapc schedule --algorithm lattice --format json`"}));
    }
    return given_schedule(*schedule);
}

}  // namespace aapc
