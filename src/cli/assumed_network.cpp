#include "cli/assumed_network.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>

#include "aapc/input/units.hpp"
#include "aapc/topology/topology_file.hpp"
#include "cli/launch.hpp"
#include "input/numbers.hpp"

namespace aapc::cli {

namespace {

struct LeafSpine {
    std::size_t leaves = 0;
    std::size_t machines = 0;  ///< of each leaf
    std::size_t spines = 0;
};

Diagnostic not_assumable(std::string problem) {
    return {.file = "--assume",
            .problem = std::move(problem),
            .advice =
                "write 1Gbit where one switch joins all machines, or 1Gbit,leaf-spine:4x8x2: leaves, machines on "
                "each, spines"};
}

std::optional<LeafSpine> parse_shape(std::string_view text) {
    constexpr std::string_view name = "leaf-spine:";
    if (!text.starts_with(name)) {
        return std::nullopt;
    }
    const std::vector<std::string> parts = split(text.substr(name.size()), "x");
    std::array<std::size_t, 3> numbers{};
    if (parts.size() != numbers.size()) {
        return std::nullopt;
    }
    constexpr std::size_t most = 1024;
    for (std::size_t index = 0; index < numbers.size(); ++index) {
        const auto number = parse_number<std::size_t>(parts[index]);
        if (!number || *number < 1 || *number > most) {
            return std::nullopt;
        }
        numbers[index] = *number;
    }
    return LeafSpine{numbers[0], numbers[1], numbers[2]};
}

std::string machines_line(std::span<const std::string> hosts) {
    return hosts.empty() ? "" : fmt::format("machines = \"{}\"\n", fmt::join(hosts, ","));
}

/// A tree whose leaves have a cable to each spine: the bound is that of cables that share perfectly.
std::string leaf_spine_text(const LeafSpine& shape, const std::vector<std::string>& hosts) {
    std::string text = "[[switch]]\nname = \"spines\"\n";
    for (std::size_t leaf = 0; leaf * shape.machines < hosts.size(); ++leaf) {
        const std::span all(hosts);
        const std::size_t first = leaf * shape.machines;
        text +=
            fmt::format("[[switch]]\nname = \"leaf{}\"\nuplink = \"spines\"\nuplink_links = {}\n{}", leaf, shape.spines,
                        machines_line(all.subspan(first, std::min(shape.machines, hosts.size() - first))));
    }
    return text;
}

}  // namespace

Expected<Network> assumed_network(std::string_view text, const std::vector<std::string>& hosts) {
    const std::size_t comma = text.find(',');
    const auto speed = parse_speed(text.substr(0, comma));
    if (!speed) {
        return failure(not_assumable(speed.error().problem));
    }
    std::vector<std::string> machines;
    for (const std::string& host : hosts) {
        if (std::find(machines.begin(), machines.end(), host) == machines.end()) {
            machines.push_back(host);
        }
    }
    std::string file = fmt::format("[network]\nspeed = \"{}\"\n", written_speed(*speed));
    if (comma == std::string_view::npos) {
        file += "[[switch]]\nname = \"switch\"\n" + machines_line(machines);
    } else {
        const auto shape = parse_shape(text.substr(comma + 1));
        if (!shape) {
            return failure(not_assumable(fmt::format("'{}' is no shape of a network", text.substr(comma + 1))));
        }
        if (shape->leaves * shape->machines < machines.size()) {
            return failure(
                not_assumable(fmt::format("the job ran on {} machines, and {} leaves of {} have {}", machines.size(),
                                          shape->leaves, shape->machines, shape->leaves * shape->machines)));
        }
        file += leaf_spine_text(*shape, machines);
    }
    return read_topology(file, "--assume");
}

}  // namespace aapc::cli
