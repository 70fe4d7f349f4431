#include "aapc/topology/detection.hpp"

#include <fmt/format.h>

#include <map>
#include <set>
#include <utility>

#include "aapc/input/units.hpp"
#include "input/wording.hpp"

namespace aapc {

namespace {

constexpr std::string_view switch_name = "network";

/// What a host calls itself, as a name that a topology file and a tuning's placement can hold.
std::string machine_name(std::string_view host) {
    // Room for the number that tells machines of one name apart.
    std::string name(host.substr(0, max_name_length - 8));
    for (char& character : name) {
        if (!is_name_character(character)) {
            character = '-';
        }
    }
    return name.empty() || !is_name_start(name.front()) ? "machine" + name : name;
}

/// The name with the smallest number behind it, from 2 on, that makes it a new one; without a number if it is new.
std::string unique_name(const std::string& name, const std::set<std::string>& taken) {
    std::string unique = name;
    for (int number = 2; taken.contains(unique); ++number) {
        unique = fmt::format("{}-{}", name, number);
    }
    return unique;
}

}  // namespace

bool asks_for_detection(std::string_view topology) {
    return topology.starts_with(detection_word) &&
           (topology.size() == detection_word.size() || topology[detection_word.size()] == ':');
}

Expected<double> detection_speed(std::string_view topology) {
    topology.remove_prefix(detection_word.size());
    if (topology.empty()) {
        return 0;
    }
    return parse_speed(topology.substr(1));
}

DetectedNetwork detect_network(const std::vector<RankPlace>& places, double bits_per_second) {
    std::vector<NetworkVertex> vertices = {{std::string(switch_name), true}};
    std::vector<Link> links;
    std::vector<NetworkMachine> machines;
    Placement placement;
    std::map<std::pair<Rank, std::string_view>, Machine> known;
    std::set<std::string> names;
    for (const RankPlace& place : places) {
        const auto [entry, is_new] =
            known.try_emplace({place.shares_memory_with, place.host}, static_cast<Machine>(machines.size()));
        if (is_new) {
            const auto vertex = static_cast<Vertex>(vertices.size());
            vertices.push_back({*names.insert(unique_name(machine_name(place.host), names)).first, false});
            links.push_back({vertex, 0, bits_per_second});
            machines.push_back({vertex, 0});
        }
        ++machines[static_cast<std::size_t>(entry->second)].ranks;
        placement.machine_of.push_back(entry->second);
    }
    return {Network(NetworkKind::detected, std::move(vertices), std::move(links), std::move(machines)),
            std::move(placement)};
}

}  // namespace aapc
