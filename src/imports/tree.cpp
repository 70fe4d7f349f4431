// From cables to a tree, and from a tree to a topology file.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <deque>
#include <set>

#include "aapc/input/units.hpp"
#include "imports/imports.hpp"
#include "input/wording.hpp"

namespace aapc::imports {

namespace {

constexpr const char* core_name = "core";

/// The speed of most.
double common(const std::vector<double>& speeds) {
    std::map<double, int> counts;
    for (const double speed : speeds) {
        ++counts[speed];
    }
    const auto most = std::max_element(counts.begin(), counts.end(),
                                       [](const auto& one, const auto& other) { return one.second < other.second; });
    return most == counts.end() ? 0 : most->first;
}

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

/// What is plugged together between switches: how many cables and how fast.
struct Trunk {
    int cables = 0;
    std::vector<double> speeds;
};

using Trunks = std::map<std::string, std::map<std::string, Trunk>>;

void plug(Trunks& trunks, const std::string& one, const std::string& other, double speed) {
    for (const auto& [from, to] : {std::pair(one, other), std::pair(other, one)}) {
        Trunk& trunk = trunks[from][to];
        ++trunk.cables;
        trunk.speeds.push_back(speed);
    }
}

/// Whether there is exactly one way between any two switches.
bool is_tree(const std::vector<std::string>& switches, const Trunks& trunks) {
    std::size_t pairs = 0;
    for (const auto& [from, ends] : trunks) {
        pairs += ends.size();
    }
    std::set<std::string> reached = {switches.front()};
    std::vector<std::string> to_follow = {switches.front()};
    while (!to_follow.empty()) {
        const auto ends = trunks.find(to_follow.back());
        to_follow.pop_back();
        if (ends == trunks.end()) {
            continue;
        }
        for (const auto& [next, trunk] : ends->second) {
            if (reached.insert(next).second) {
                to_follow.push_back(next);
            }
        }
    }
    return pairs == 2 * (switches.size() - 1) && reached.size() == switches.size();
}

/// A switch has one speed for all its machines. Those of the last one whose speed is known to differ get a switch of
/// their own with an uplink of that speed, which is the same network.
void set_apart(FoundTree& tree, const std::vector<double>& speeds) {
    const FoundSwitch whole = tree.switches.back();
    std::vector<std::string> alike;
    for (std::size_t index = 0; index < speeds.size(); ++index) {
        const std::string& machine = whole.machines[index];
        const double speed = speeds[index];
        if (speed <= 0 || whole.machine_speed <= 0 || std::abs(speed - whole.machine_speed) <= 1e-3 * speed) {
            alike.push_back(machine);
        } else {
            tree.switches.push_back({machine + "-port", whole.name, speed, 1, {machine}, speed});
        }
    }
    const std::size_t apart = whole.machines.size() - alike.size();
    tree.switches[tree.switches.size() - apart - 1].machines = std::move(alike);
}

/// A torus, which has no switches.
std::string torus_text(const FoundTree& tree, const std::string& text) {
    std::string sides;
    for (const int side : tree.sides) {
        sides += fmt::format("{}{}", sides.empty() ? "" : ", ", side);
    }
    const FoundSwitch& all = tree.switches.front();
    return text + fmt::format("[network]\nkind = \"torus\"\nspeed = \"{}\"\nsides = [{}]\nmachines = \"{}\"\n",
                              written_speed(all.machine_speed), sides, hostlist_text(all.machines));
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

Expected<FoundTree> tree_of(const FoundCables& found, const std::string& file) {
    if (found.switches.empty()) {
        return failure({.file = file, .line = 1, .problem = "no switch is in it", .advice = "give all of the output"});
    }
    const std::set<std::string> machines(found.machines.begin(), found.machines.end());
    std::map<std::string, std::vector<std::string>> machines_of;
    std::map<std::string, std::vector<double>> speeds_of;
    std::set<std::string> placed;
    FoundTree tree;
    for (const auto& [one, other, speed] : found.cables) {
        const bool from_machine = machines.contains(one);
        if (from_machine == machines.contains(other)) {
            continue;
        }
        const std::string& machine = from_machine ? one : other;
        const std::string& above = from_machine ? other : one;
        if (!placed.insert(machine).second) {
            tree.remarks.push_back(fmt::format("{} has several ports; the first one is taken.", machine));
            continue;
        }
        machines_of[above].push_back(machine);
        speeds_of[above].push_back(speed);
    }
    const auto connect = [&](const auto& name_of) {
        Trunks trunks;
        for (const auto& [one, other, speed] : found.cables) {
            if (!machines.contains(one) && !machines.contains(other) && name_of(one) != name_of(other)) {
                plug(trunks, name_of(one), name_of(other), speed);
            }
        }
        return trunks;
    };
    Trunks trunks = connect([](const std::string& name) { return name; });
    std::vector<std::string> switches = found.switches;
    if (!is_tree(switches, trunks)) {
        // Switches without machines share what goes up; their routes are taken to share it evenly.
        const auto merged = [&](const std::string& name) { return machines_of.contains(name) ? name : core_name; };
        trunks = connect(merged);
        std::erase_if(switches, [&](const std::string& name) { return !machines_of.contains(name); });
        tree.remarks.push_back(
            fmt::format("{} switches without machines are taken as one, {}: their routes are "
                        "believed to share the cables evenly.",
                        found.switches.size() - switches.size(), in_quotes(core_name)));
        switches.insert(switches.begin(), core_name);
        if (!is_tree(switches, trunks)) {
            return failure({.file = file,
                            .problem = "switches are in a ring, or in parts that nothing connects",
                            .advice = "only a tree can be followed; describe a torus or clusters by hand"});
        }
    }
    const auto without_machines = std::find_if(switches.begin(), switches.end(),
                                               [&](const std::string& name) { return !machines_of.contains(name); });
    const std::string root = without_machines == switches.end() ? switches.front() : *without_machines;
    std::deque<std::pair<std::string, std::string>> to_add = {{root, ""}};
    while (!to_add.empty()) {
        const auto [name, above] = to_add.front();
        to_add.pop_front();
        FoundSwitch added{name, above, 0, 1, machines_of[name], common(speeds_of[name])};
        if (!above.empty()) {
            const Trunk& trunk = trunks[name][above];
            added.uplink_speed = common(trunk.speeds);
            added.uplink_links = trunk.cables;
        }
        tree.switches.push_back(std::move(added));
        set_apart(tree, speeds_of[name]);
        for (const auto& [next, trunk] : trunks[name]) {
            if (next != above) {
                to_add.emplace_back(next, name);
            }
        }
    }
    return tree;
}

std::string topology_text(const FoundTree& tree, double speed) {
    std::string text = fmt::format("# From {}.\n", tree.source);
    for (const std::string& remark : tree.remarks) {
        text += fmt::format("# {}\n", remark);
    }
    if (!tree.sides.empty()) {
        return torus_text(tree, text);
    }
    std::vector<double> known;
    bool all_known = true;
    for (const FoundSwitch& each : tree.switches) {
        const bool has_machines = !each.machines.empty();
        known.insert(known.end(), each.machine_speed > 0 ? each.machines.size() : 0, each.machine_speed);
        all_known =
            all_known && (!has_machines || each.machine_speed > 0) && (each.uplink.empty() || each.uplink_speed > 0);
    }
    const double shared = speed > 0 ? speed : all_known ? common(known) : 0;
    text += "[network]\n";
    text += shared > 0 ? fmt::format("speed = \"{}\"\n", written_speed(shared))
                       : "# speed = \"25Gbit\"    # not known: of every link that says nothing else; write what yours "
                         "have and remove the #\n";
    for (const FoundSwitch& each : tree.switches) {
        text += fmt::format("\n[[switch]]\nname = \"{}\"\n", each.name);
        if (!each.uplink.empty()) {
            text += fmt::format("uplink = \"{}\"\n", each.uplink);
            if (each.uplink_links > 1) {
                text += fmt::format("uplink_links = {}\n", each.uplink_links);
            }
            if (each.uplink_speed > 0 && each.uplink_speed != shared) {
                text += fmt::format("speed = \"{}\"\n", written_speed(each.uplink_speed));
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

}  // namespace aapc::imports
