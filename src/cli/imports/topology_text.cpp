// Topology files from wirings, and what a person can check them by.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>

#include "aapc/input/units.hpp"
#include "cli/imports/imports.hpp"
#include "input/wording.hpp"

namespace aapc::imports {

namespace {

/// A name and the number at the end of its first part: "n007.site" is "n", 7, of width 3, ".site".
struct NumberedName {
    std::string_view stem;
    std::string_view domain;
    std::int64_t number = -1;
    std::size_t width = 0;
};

NumberedName numbered(std::string_view name) {
    const std::size_t dot = std::min(name.find('.'), name.size());
    const std::string_view first = name.substr(0, dot);
    const std::size_t last = first.find_last_not_of("0123456789");
    const std::size_t start = last == std::string_view::npos ? 0 : last + 1;
    const std::size_t digits = first.size() - start;
    if (digits == 0 || digits > 15) {
        return {name, "", -1, 0};
    }
    std::int64_t number = 0;
    std::from_chars(first.data() + start, first.data() + first.size(), number);
    return {first.substr(0, start), name.substr(dot), number, first[start] == '0' ? digits : 1};
}

/// Whether a range may leave numbers out, as in "n[0-6/2]".
enum class Steps : std::uint8_t { one, any };

/// The items of a hostlist of these names, in order.
std::vector<std::string> hostlist_parts(const std::vector<std::string>& names, Steps steps = Steps::one) {
    std::vector<std::string> parts;
    for (std::size_t first = 0; first < names.size();) {
        const NumberedName start = numbered(names[first]);
        const auto is_at = [&](std::size_t index, std::int64_t step) {
            const std::int64_t number = start.number + step * static_cast<std::int64_t>(index - first);
            return index < names.size() && start.number >= 0 &&
                   names[index] == fmt::format("{}{:0{}}{}", start.stem, number, start.width, start.domain);
        };
        std::int64_t step = 1;
        if (steps == Steps::any && first + 2 < names.size()) {
            const NumberedName next = numbered(names[first + 1]);
            const std::int64_t difference = next.number - start.number;
            step = next.number >= 0 && difference > 1 && is_at(first + 1, difference) && is_at(first + 2, difference)
                       ? difference
                       : 1;
        }
        std::size_t end = first + 1;
        while (is_at(end, step)) {
            ++end;
        }
        const std::int64_t last = start.number + step * static_cast<std::int64_t>(end - first - 1);
        parts.push_back(end == first + 1
                            ? names[first]
                            : fmt::format("{}[{:0{}}-{:0{}}{}]{}", start.stem, start.number, start.width, last,
                                          start.width, step > 1 ? fmt::format("/{}", step) : "", start.domain));
        first = end;
    }
    return parts;
}

/// Whether a speed is not known, of a link to a machine or of a cable.
bool has_unknown_speed(const FoundSwitch& each) {
    return (!each.machines.empty() && each.machine_speed <= 0) ||
           std::any_of(each.uplinks.begin(), each.uplinks.end(), [](const auto& uplink) { return uplink.speed <= 0; });
}

/// The speed that most links to machines have; 0 where one of them, or of the uplinks, is not known.
double shared_speed(const FoundNetwork& network) {
    std::map<double, std::size_t> machines;
    for (const FoundSwitch& each : network.switches) {
        if (has_unknown_speed(each)) {
            return 0;
        }
        machines[each.machine_speed] += each.is_port ? 1 : each.machines.size();
    }
    const auto most = std::max_element(machines.begin(), machines.end(),
                                       [](const auto& one, const auto& other) { return one.second < other.second; });
    return most->first;
}

std::string with_comments(const std::string& source, const std::vector<std::string>& remarks) {
    std::string text = fmt::format("# From {}.\n", source);
    for (const std::string& remark : remarks) {
        text += fmt::format("# {}\n", remark);
    }
    return text;
}

/// A torus, which has no switches.
std::string torus_text(const Wiring& wiring) {
    std::string sides;
    for (const int side : wiring.sides) {
        sides += fmt::format("{}{}", sides.empty() ? "" : ", ", side);
    }
    return fmt::format("[network]\nkind = \"torus\"\nspeed = \"{}\"\nsides = [{}]\nmachines = \"{}\"\n",
                       written_speed(wiring.torus_speed), sides, hostlist_text(wiring.machines));
}

constexpr std::string_view unknown_uplink_speed =
    "# {} = \"100Gbit\"    # not known: of the {}, each cable; write it unless it is the network's\n";

/// The keys of a switch's uplink in a tree.
std::string uplink_text(const FoundUplink& uplink, double shared) {
    std::string text = fmt::format("uplink = \"{}\"\n", uplink.to);
    if (uplink.cables > 1) {
        text += fmt::format("uplink_links = {}\n", uplink.cables);
    }
    if (uplink.speed > 0 && uplink.speed != shared) {
        text += fmt::format("speed = \"{}\"\n", written_speed(uplink.speed));
    } else if (uplink.speed <= 0) {
        text += fmt::format(unknown_uplink_speed, "speed", "uplink");
    }
    return text;
}

/// "spine[0-1]" and "spine2:4", each of so many cables, in order.
std::vector<std::string> uplink_lists(const std::vector<FoundUplink>& uplinks) {
    std::vector<std::string> lists;
    for (std::size_t first = 0; first < uplinks.size();) {
        std::vector<std::string> names;
        const int cables = uplinks[first].cables;
        for (; first < uplinks.size() && uplinks[first].cables == cables; ++first) {
            names.push_back(uplinks[first].to);
        }
        for (const std::string& list : hostlist_parts(names)) {
            lists.push_back(cables > 1 ? fmt::format("{}:{}", list, cables) : list);
        }
    }
    return lists;
}

/// The keys of a switch's uplinks in a fabric.
std::string uplinks_text(const std::vector<FoundUplink>& uplinks, double shared) {
    const std::vector<std::string> lists = uplink_lists(uplinks);
    std::string text = lists.size() == 1 ? fmt::format("uplinks = \"{}\"\n", lists.front())
                                         : fmt::format("uplinks = [\"{}\"]\n", fmt::join(lists, "\", \""));
    std::map<double, std::size_t> counts;
    for (const FoundUplink& uplink : uplinks) {
        ++counts[uplink.speed];
    }
    const bool all_known = counts.begin()->first > 0;
    const auto most = std::max_element(counts.begin(), counts.end(),
                                       [](const auto& one, const auto& other) { return one.second < other.second; });
    const double usual = all_known ? most->first : 0;
    if (!all_known) {
        text += fmt::format(unknown_uplink_speed, "uplink_speed", "uplinks");
    } else if (usual != shared) {
        text += fmt::format("uplink_speed = \"{}\"\n", written_speed(usual));
    }
    std::string others;
    for (const FoundUplink& uplink : uplinks) {
        if (uplink.speed > 0 && uplink.speed != usual) {
            others +=
                fmt::format("{}\"{}\" = \"{}\"", others.empty() ? "" : ", ", uplink.to, written_speed(uplink.speed));
        }
    }
    return others.empty() ? text : text + fmt::format("uplink_speeds = {{ {} }}\n", others);
}

std::string routes_text(const std::vector<FoundRoute>& routes) {
    std::string text = "[switch.routes]\n";
    for (const FoundRoute& route : routes) {
        text += fmt::format("\"{}{}\" = \"{}\"\n", route.to, route.cable > 0 ? fmt::format(":{}", route.cable + 1) : "",
                            fmt::join(hostlist_parts(route.machines, Steps::any), ","));
    }
    return text;
}

std::string network_text(const FoundNetwork& network, const Wiring& wiring, double shared) {
    std::string text = "[network]\n";
    if (network.is_fabric) {
        text += fmt::format("kind = \"fabric\"\npaths = \"{}\"\n", network.paths);
    }
    text += shared > 0 ? fmt::format("speed = \"{}\"\n", written_speed(shared))
                       : fmt::format(
                             "# speed = \"25Gbit\"    # not known: of every link that says nothing else; write "
                             "what yours have and remove the #\n{}",
                             wiring.speed_hint.empty() ? "" : fmt::format("# {}\n", wiring.speed_hint));
    for (const FoundSwitch& each : network.switches) {
        text += fmt::format("\n[[switch]]\nname = \"{}\"\n", each.name);
        if (!each.uplinks.empty()) {
            text += network.is_fabric ? uplinks_text(each.uplinks, shared) : uplink_text(each.uplinks.front(), shared);
        }
        if (!each.machines.empty()) {
            text += fmt::format("machines = \"{}\"\n", hostlist_text(each.machines));
            if (each.machine_speed > 0 && each.machine_speed != shared) {
                text += fmt::format("machine_speed = \"{}\"\n", written_speed(each.machine_speed));
            }
        }
        if (!each.routes.empty()) {
            text += routes_text(each.routes);
        }
    }
    return text;
}

std::string counted(std::size_t count, std::string_view one, std::string_view several) {
    return fmt::format("{} {}", count, count == 1 ? one : several);
}

/// "16 x 25 Gbit/s, 2 not known".
std::string counts_text(const std::map<double, std::size_t>& counts) {
    std::string text;
    for (auto each = counts.rbegin(); each != counts.rend(); ++each) {
        text += text.empty() ? "" : ", ";
        text += each->first > 0 ? fmt::format("{} x {}", each->second, speed_text(each->first))
                                : fmt::format("{} not known", each->second);
    }
    return text.empty() ? "none" : text;
}

std::vector<std::string> summary_of(const Wiring& wiring, const FoundNetwork& network) {
    std::map<double, std::size_t> to_machines;
    std::map<double, std::size_t> between;
    std::size_t machines = 0;
    std::size_t switches = 0;
    for (const FoundSwitch& each : network.switches) {
        machines += each.machines.size();
        switches += each.is_port ? 0 : 1;
        if (!each.machines.empty()) {
            to_machines[each.machine_speed] += each.machines.size();
        }
        for (const FoundUplink& uplink : each.uplinks) {
            between[uplink.speed] += each.is_port ? 0 : static_cast<std::size_t>(uplink.cables);
        }
    }
    std::string first = fmt::format("{} on {}, from {}", counted(machines, "machine", "machines"),
                                    counted(switches, "switch", "switches"), wiring.source);
    if (machines != wiring.machines.size() || switches != wiring.switches.size()) {
        first += fmt::format(" with {} and {}", counted(wiring.machines.size(), "machine", "machines"),
                             counted(wiring.switches.size(), "switch", "switches"));
    }
    std::erase_if(between, [](const auto& count) { return count.second == 0; });
    return {first, fmt::format("links to machines: {}; cables between switches: {}", counts_text(to_machines),
                               counts_text(between))};
}

}  // namespace

std::string hostlist_text(const std::vector<std::string>& names) {
    return fmt::format("{}", fmt::join(hostlist_parts(names), ","));
}

void assume_speeds(Wiring& wiring, const GivenSpeeds& given) {
    const std::set<std::string> machines(wiring.machines.begin(), wiring.machines.end());
    std::size_t to_machines = 0;
    std::size_t between = 0;
    const double uplinks = given.uplinks > 0 ? given.uplinks : given.machines;
    for (Cable& cable : wiring.cables) {
        const bool is_port = machines.contains(cable.one) || machines.contains(cable.other);
        const double speed = is_port ? given.machines : uplinks;
        if (cable.speed > 0 || speed <= 0) {
            continue;
        }
        cable.speed = speed;
        (is_port ? to_machines : between) += static_cast<std::size_t>(cable.count);
    }
    if (to_machines > 0) {
        add_remark(wiring.remarks, fmt::format("Assumed: {} for {}, as --speed says.", speed_text(given.machines),
                                               counted(to_machines, "link to a machine", "links to machines")));
    }
    if (between > 0) {
        const std::string what = counted(between, "cable between switches", "cables between switches");
        add_remark(wiring.remarks,
                   given.uplinks > 0
                       ? fmt::format("Assumed: {} for {}, as --uplink-speed says.", speed_text(uplinks), what)
                       : fmt::format("Assumed: {} for {}, too, as --speed says. Are they faster? Then give "
                                     "--uplink-speed.",
                                     speed_text(uplinks), what));
    }
    if ((to_machines > 0 || between > 0) && !wiring.speed_hint.empty()) {
        add_remark(wiring.remarks, wiring.speed_hint);
    }
}

Expected<ImportedTopology> topology_of(const Wiring& wiring, const std::string& file) {
    ImportedTopology imported;
    std::vector<std::string> remarks = wiring.remarks;
    if (!wiring.sides.empty()) {
        imported.text = with_comments(wiring.source, remarks) + torus_text(wiring);
        imported.summary = {fmt::format("{} in a torus, from {}",
                                        counted(wiring.machines.size(), "machine", "machines"), wiring.source),
                            fmt::format("links: {}", speed_text(wiring.torus_speed))};
        imported.is_complete = true;
    } else {
        const auto network = found_network(wiring, file);
        if (!network) {
            return failure(network.error());
        }
        for (const std::string& remark : network->remarks) {
            add_remark(remarks, remark);
        }
        const double shared = shared_speed(*network);
        imported.is_complete = shared > 0;
        imported.text = with_comments(wiring.source, remarks) + network_text(*network, wiring, shared);
        imported.summary = summary_of(wiring, *network);
        if (!imported.is_complete) {
            remarks.push_back("Not all speeds are known: fill them in where the file says so, or give --speed" +
                              std::string(network->switches.size() > 1 ? " and --uplink-speed." : "."));
            if (!wiring.speed_hint.empty()) {
                add_remark(remarks, wiring.speed_hint);
            }
        }
    }
    imported.summary.insert(imported.summary.end(), remarks.begin(), remarks.end());
    return imported;
}

}  // namespace aapc::imports
