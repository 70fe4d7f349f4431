#include "aapc/topology/placement.hpp"

#include <fmt/format.h>

namespace aapc {

Placement full_placement(const Network& network) {
    Placement placement;
    for (std::size_t machine = 0; machine < network.machines().size(); ++machine) {
        placement.machine_of.insert(placement.machine_of.end(),
                                    static_cast<std::size_t>(network.machines()[machine].ranks),
                                    static_cast<Machine>(machine));
    }
    return placement;
}

Placement placement_of(std::span<const Rank> ranks, const Placement& whole) {
    Placement placement;
    placement.machine_of.reserve(ranks.size());
    for (const Rank rank : ranks) {
        placement.machine_of.push_back(whole.machine_of[static_cast<std::size_t>(rank)]);
    }
    return placement;
}

std::vector<Rank> ranks_beside(const Placement& placement, Rank rank) {
    std::vector<Rank> ranks;
    const Machine machine = placement.machine_of[static_cast<std::size_t>(rank)];
    for (Rank other = 0; other < placement.participants(); ++other) {
        if (placement.machine_of[static_cast<std::size_t>(other)] == machine) {
            ranks.push_back(other);
        }
    }
    return ranks;
}

std::vector<std::string> participant_names(const Network& network, const Placement& placement) {
    std::vector<std::int32_t> count(network.machines().size(), 0);
    for (const Machine machine : placement.machine_of) {
        ++count[static_cast<std::size_t>(machine)];
    }
    std::vector<std::int32_t> next(count.size(), 0);
    std::vector<std::string> names;
    names.reserve(placement.machine_of.size());
    for (const Machine machine : placement.machine_of) {
        const auto index = static_cast<std::size_t>(machine);
        const std::string& name = network.machine_name(machine);
        names.push_back(count[index] == 1 ? name : fmt::format("{}:{}", name, next[index]++));
    }
    return names;
}

}  // namespace aapc
