// Topology files from wirings, and what a person can check them by.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>

#include "aapc/input/units.hpp"
#include "imports/imports.hpp"
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

/// The speed that most links to machines have; 0 where one of them, or of the uplinks, is not known.
double shared_speed(const FoundTree& tree) {
    std::map<double, std::size_t> machines;
    for (const FoundSwitch& each : tree.switches) {
        if ((!each.machines.empty() && each.machine_speed <= 0) || (!each.uplink.empty() && each.uplink_speed <= 0)) {
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

std::string tree_text(const FoundTree& tree, double shared, const std::string& hint) {
    std::string text = "[network]\n";
    text += shared > 0 ? fmt::format("speed = \"{}\"\n", written_speed(shared))
                       : fmt::format(
                             "# speed = \"25Gbit\"    # not known: of every link that says nothing else; write "
                             "what yours have and remove the #\n{}",
                             hint.empty() ? "" : fmt::format("# {}\n", hint));
    for (const FoundSwitch& each : tree.switches) {
        text += fmt::format("\n[[switch]]\nname = \"{}\"\n", each.name);
        if (!each.uplink.empty()) {
            text += fmt::format("uplink = \"{}\"\n", each.uplink);
            if (each.uplink_links > 1) {
                text += fmt::format("uplink_links = {}\n", each.uplink_links);
            }
            if (each.uplink_speed > 0 && each.uplink_speed != shared) {
                text += fmt::format("speed = \"{}\"\n", written_speed(each.uplink_speed));
            } else if (each.uplink_speed <= 0) {
                text +=
                    "# speed = \"100Gbit\"    # not known: of the uplink, each cable; write it unless it is the "
                    "network's\n";
            }
        }
        if (!each.machines.empty()) {
            text += fmt::format("machines = \"{}\"\n", hostlist_text(each.machines));
            if (each.machine_speed > 0 && each.machine_speed != shared) {
                text += fmt::format("machine_speed = \"{}\"\n", written_speed(each.machine_speed));
            }
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

std::vector<std::string> summary_of(const Wiring& wiring, const FoundTree& tree) {
    std::map<double, std::size_t> to_machines;
    std::map<double, std::size_t> between;
    std::size_t machines = 0;
    std::size_t switches = 0;
    for (const FoundSwitch& each : tree.switches) {
        machines += each.machines.size();
        switches += each.is_port ? 0 : 1;
        if (!each.machines.empty()) {
            to_machines[each.machine_speed] += each.machines.size();
        }
        if (!each.uplink.empty() && !each.is_port) {
            between[each.uplink_speed] += static_cast<std::size_t>(each.uplink_links);
        }
    }
    std::string first = fmt::format("{} on {}, from {}", counted(machines, "machine", "machines"),
                                    counted(switches, "switch", "switches"), wiring.source);
    if (machines != wiring.machines.size() || switches != wiring.switches.size()) {
        first += fmt::format(" with {} and {}", counted(wiring.machines.size(), "machine", "machines"),
                             counted(wiring.switches.size(), "switch", "switches"));
    }
    return {first, fmt::format("links to machines: {}; cables between switches: {}", counts_text(to_machines),
                               counts_text(between))};
}

}  // namespace

std::string hostlist_text(const std::vector<std::string>& names) {
    std::string text;
    for (std::size_t first = 0; first < names.size();) {
        const NumberedName start = numbered(names[first]);
        std::size_t end = first + 1;
        while (end < names.size() && start.number >= 0) {
            const std::int64_t next = start.number + static_cast<std::int64_t>(end - first);
            const bool follows = names[end] == fmt::format("{}{:0{}}{}", start.stem, next, start.width, start.domain);
            if (!follows) {
                break;
            }
            ++end;
        }
        text += text.empty() ? "" : ",";
        const std::int64_t last = start.number + static_cast<std::int64_t>(end - first) - 1;
        text += end == first + 1 ? names[first]
                                 : fmt::format("{}[{:0{}}-{:0{}}]{}", start.stem, start.number, start.width, last,
                                               start.width, start.domain);
        first = end;
    }
    return text;
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
        const auto tree = tree_of(wiring, file);
        if (!tree) {
            return failure(tree.error());
        }
        for (const std::string& remark : tree->remarks) {
            add_remark(remarks, remark);
        }
        const double shared = shared_speed(*tree);
        imported.is_complete = shared > 0;
        imported.text = with_comments(wiring.source, remarks) + tree_text(*tree, shared, wiring.speed_hint);
        imported.summary = summary_of(wiring, *tree);
        if (!imported.is_complete) {
            remarks.push_back("Not all speeds are known: fill them in where the file says so, or give --speed" +
                              std::string(tree->switches.size() > 1 ? " and --uplink-speed." : "."));
            if (!wiring.speed_hint.empty()) {
                add_remark(remarks, wiring.speed_hint);
            }
        }
    }
    imported.summary.insert(imported.summary.end(), remarks.begin(), remarks.end());
    return imported;
}

}  // namespace aapc::imports
