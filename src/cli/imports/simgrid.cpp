// SimGrid's platforms as trees: each zone becomes switches and cables, and its routers and gateways say where the next
// one is plugged in.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "aapc/input/units.hpp"
#include "cli/imports/imports.hpp"
#include "cli/imports/simgrid_platform.hpp"
#include "input/wording.hpp"

namespace aapc::imports {

namespace {

constexpr int most_cables = 1024;  // of a topology file's uplink_links

/// Thrown within this file only.
struct Mistake {
    Diagnostic diagnostic;
};

class PlatformTree {
  public:
    PlatformTree(const Platform& platform, const std::string& file)
        : platform_(platform), file_(file), machines_(machines_in(platform.all)) {}

    Wiring build() {
        for (const PlatformZone& zone : platform_.all.zones) {
            add(zone);
        }
        if (found_.machines.empty()) {
            refuse(platform_.all.line, "no host is in it", "give a platform with hosts or clusters");
        }
        expect_leaves();
        separate_machines();
        prune();
        expect_one_part();
        resolve_unlimited();
        found_.remarks = std::move(remarks_);
        return std::move(found_);
    }

  private:
    [[noreturn]] void refuse(int line, std::string problem, std::string advice) const {
        throw Mistake{{.file = file_, .line = line, .problem = std::move(problem), .advice = std::move(advice)}};
    }

    /// A name that topology files take, for which nobody else has been taken.
    std::string name_for(const std::string& id, int line) {
        std::string name = id;
        std::replace_if(
            name.begin(), name.end(), [](char character) { return !is_name_character(character); }, '-');
        if (name.empty() || !is_name_start(name.front())) {
            name.insert(0, "n");
        }
        if (name.size() > max_name_length) {
            refuse(line, fmt::format("the name {} is too long", in_quotes(id)), "give a shorter one");
        }
        return name;
    }

    void add_machine(const std::string& id, int line) {
        const std::string name = name_for(id, line);
        if (!taken_.insert(name).second || !node_of_.emplace(id, name).second) {
            refuse(line, fmt::format("host {} is there twice", in_quotes(id)), "give each host a name of its own");
        }
        found_.machines.push_back(name);
        is_machine_.insert(name);
    }

    /// Switches give way where a machine is called like them.
    std::string add_switch(const std::string& id, int line) {
        std::string name = name_for(id, line);
        if (!taken_.insert(name).second) {
            const std::string stem = name.substr(0, max_name_length - 20) + "-switch";
            name = stem;
            for (int number = 2; !taken_.insert(name).second; ++number) {
                name = fmt::format("{}{}", stem, number);
            }
        }
        found_.switches.push_back(name);
        return name;
    }

    void plug(const std::string& one, const std::string& other, double speed) {
        found_.cables.push_back({one, other, speed});
    }

    void add(const PlatformZone& zone) {
        for (const PlatformZone& inner : zone.zones) {
            add(inner);
        }
        if (zone.kind == ZoneKind::torus) {
            refuse(zone.line, fmt::format("cluster {} is a torus, and there is more than that", in_quotes(zone.id)),
                   "a topology file describes a torus alone; give a file with that cluster only");
        }
        if (zone.kind == ZoneKind::routed) {
            add_routed(zone);
            return;
        }
        for (const PlatformPort& port : zone.ports) {
            add_machine(port.machine, zone.line);
        }
        const std::string top = zone.kind == ZoneKind::star ? add_star(zone) : add_fat_tree(zone);
        for (const std::string& router : zone.routers) {
            node_of_.emplace(router, top);
        }
    }

    std::string add_star(const PlatformZone& zone) {
        std::string middle = add_switch(zone.id, zone.line);
        double share = std::numeric_limits<double>::infinity();
        if (zone.backbone > 0) {
            // When every machine sends to every other, a machine's port carries a message for each of the others, the
            // backbone those between machines of the zone and those that come in or go out.
            const auto own = static_cast<double>(zone.ports.size());
            const auto all = static_cast<double>(machines_);
            share = zone.backbone * (all - 1) / std::max(1.0, own * (own - 1) + 2 * own * (all - own));
        }
        bool divided = false;
        for (const PlatformPort& port : zone.ports) {
            plug(node_of_.at(port.machine), middle, std::min(port.speed, share));
            divided = divided || share < port.speed;
        }
        if (divided) {
            remarks_.push_back(
                fmt::format("{}: all messages share a backbone of {}; each machine has its part of it, "
                            "{}, as when all send at once.",
                            middle, speed_text(zone.backbone), speed_text(share)));
        }
        return middle;
    }

    /// Switches of a level that have the same machines below are one: routes are taken to share them evenly.
    std::string add_fat_tree(const PlatformZone& zone) {
        std::vector<std::string> below;
        below.reserve(zone.ports.size());
        for (const PlatformPort& port : zone.ports) {
            below.push_back(node_of_.at(port.machine));
        }
        const double speed = zone.ports.front().speed;
        double switches = 1;  // that were made one, on the level below
        for (std::size_t level = 0; level < zone.levels.size(); ++level) {
            const FatTreeLevel& here = zone.levels[level];
            if (level == 0 && here.above != 1) {
                refuse(zone.line,
                       fmt::format("the machines of {} have {} switches each", in_quotes(zone.id), here.above),
                       "machines with one port can be followed: write 1 as the first of the third list");
            }
            const double cables = switches * here.above * here.cables;
            switches *= here.above;
            std::vector<std::string> uppers;
            for (std::size_t index = 0; index < below.size(); ++index) {
                if (index % static_cast<std::size_t>(here.below) == 0) {
                    const bool top = level + 1 == zone.levels.size();
                    uppers.push_back(add_switch(
                        top ? zone.id : fmt::format("{}-{}-{}", zone.id, level + 1, uppers.size()), zone.line));
                }
                const int each = level > 0 && cables <= most_cables ? static_cast<int>(cables) : 1;
                for (int cable = 0; cable < each; ++cable) {
                    plug(below[index], uppers.back(), speed * cables / each);
                }
            }
            below = std::move(uppers);
        }
        if (switches > 1) {
            remarks_.push_back(
                fmt::format("{}: a fat tree; switches with the same machines below are one here, and "
                            "routes are believed to share their cables evenly.",
                            zone.id));
        }
        return below.front();
    }

    void add_routed(const PlatformZone& zone) {
        for (const std::string& host : zone.hosts) {
            add_machine(host, zone.line);
        }
        const auto wiring = wire(zone, platform_, file_);
        if (!wiring) {
            throw Mistake{wiring.error()};
        }
        for (const std::string& router : zone.routers) {
            node_of_.emplace(router, add_switch(router, zone.line));
        }
        std::map<std::string, std::string> junctions;
        for (const std::string& junction : wiring->junctions) {
            junctions.emplace(junction, add_switch(junction, zone.line));
        }
        const auto node = [&](const std::string& name) -> const std::string& {
            if (const auto junction = junctions.find(name); junction != junctions.end()) {
                return junction->second;
            }
            const auto found = node_of_.find(name);
            if (found == node_of_.end()) {
                refuse(zone.line, fmt::format("gateway {} is no host or router", in_quotes(name)),
                       "name one of the zone's that is left or entered");
            }
            return found->second;
        };
        for (const ZoneWiring::Cable& cable : wiring->cables) {
            plug(node(cable.one), node(cable.other), cable.speed);
        }
        remarks_.insert(remarks_.end(), wiring->remarks.begin(), wiring->remarks.end());
    }

    /// Two machines that a link joins have a switch between them, which changes nothing.
    void separate_machines() {
        for (std::size_t index = 0, cables = found_.cables.size(); index < cables; ++index) {
            const Cable cable = found_.cables[index];
            if (is_machine_.contains(cable.one) && is_machine_.contains(cable.other)) {
                const std::string between = add_switch("between", 0);
                found_.cables[index] = {cable.one, between, cable.speed};
                plug(cable.other, between, cable.speed);
            }
        }
    }

    void expect_leaves() const {
        std::map<std::string, int> ports;
        for (const Cable& cable : found_.cables) {
            ++ports[cable.one];
            ++ports[cable.other];
        }
        for (const std::string& machine : found_.machines) {
            if (const auto found = ports.find(machine); found == ports.end() || found->second > 1) {
                refuse(platform_.all.line,
                       found == ports.end() ? fmt::format("host {} has no link", in_quotes(machine))
                                            : fmt::format("host {} passes others' messages on", in_quotes(machine)),
                       "only machines with a link of their own, to a router or a zone's middle, can be followed");
            }
        }
    }

    /// Switches that lead nowhere.
    void prune() {
        for (bool pruned = true; pruned;) {
            std::map<std::string, int> ports;
            for (const Cable& cable : found_.cables) {
                ++ports[cable.one];
                ++ports[cable.other];
            }
            const auto useless = [&](const std::string& name) {
                return !is_machine_.contains(name) && ports[name] < 2;
            };
            const auto leads_nowhere = [&](const Cable& cable) { return useless(cable.one) || useless(cable.other); };
            // The only machine's switch stays.
            pruned = found_.machines.size() > 1 && std::erase_if(found_.cables, leads_nowhere) > 0;
            if (pruned || found_.machines.size() > 1) {
                std::erase_if(found_.switches, useless);
            }
        }
    }

    void expect_one_part() const {
        std::map<std::string, std::vector<std::string>> next;
        for (const Cable& cable : found_.cables) {
            next[cable.one].push_back(cable.other);
            next[cable.other].push_back(cable.one);
        }
        std::set<std::string> reached = {found_.machines.front()};
        std::vector<std::string> to_do = {found_.machines.front()};
        while (!to_do.empty()) {
            const std::string name = to_do.back();
            to_do.pop_back();
            for (const std::string& other : next[name]) {
                if (reached.insert(other).second) {
                    to_do.push_back(other);
                }
            }
        }
        for (const std::string& machine : found_.machines) {
            if (!reached.contains(machine)) {
                refuse(platform_.all.line,
                       fmt::format("there is no way from {} to {}", in_quotes(found_.machines.front()),
                                   in_quotes(machine)),
                       "give routes between all zones");
            }
        }
        if (reached.size() - 1 != found_.cables.size() && !has_bundles()) {
            refuse(platform_.all.line, "there are several ways between its zones",
                   "only trees can be followed; describe other networks by hand");
        }
    }

    [[nodiscard]] bool has_bundles() const {
        std::set<std::pair<std::string, std::string>> pairs;
        for (const Cable& cable : found_.cables) {
            pairs.insert(std::minmax(cable.one, cable.other));
        }
        return pairs.size() < found_.cables.size();
    }

    /// What nothing limits is as fast as all machines together.
    void resolve_unlimited() {
        double all = 0;
        for (const Cable& cable : found_.cables) {
            const bool port = is_machine_.contains(cable.one) || is_machine_.contains(cable.other);
            all += port && cable.speed < std::numeric_limits<double>::infinity() ? cable.speed : 0;
        }
        for (Cable& cable : found_.cables) {
            if (cable.speed == std::numeric_limits<double>::infinity()) {
                if (is_machine_.contains(cable.one) || is_machine_.contains(cable.other) || all <= 0) {
                    refuse(platform_.all.line, fmt::format("nothing says how fast {} is", in_quotes(cable.one)),
                           "give its routes a link");
                }
                cable.speed = std::min(all, 1e15);
            }
        }
    }

    const Platform& platform_;
    const std::string& file_;
    std::size_t machines_;
    Wiring found_;
    std::vector<std::string> remarks_;
    std::map<std::string, std::string> node_of_;  // by SimGrid's names
    std::set<std::string> taken_;
    std::set<std::string> is_machine_;
};

/// The torus, if that is all.
std::optional<Wiring> torus_of(const Platform& platform) {
    const PlatformZone* zone = &platform.all;
    while (zone->kind == ZoneKind::routed && zone->zones.size() == 1 && zone->hosts.empty()) {
        zone = &zone->zones.front();
    }
    if (zone->kind != ZoneKind::torus) {
        return std::nullopt;
    }
    Wiring torus;
    torus.sides.assign(zone->sides.rbegin(), zone->sides.rend());  // our last side runs fastest
    std::erase(torus.sides, 1);
    if (torus.sides.empty()) {
        torus.sides = {1};
    }
    for (const PlatformPort& port : zone->ports) {
        torus.machines.push_back(port.machine);
    }
    torus.torus_speed = zone->ports.front().speed;
    if (std::find(torus.sides.begin(), torus.sides.end(), 2) != torus.sides.end()) {
        torus.remarks.emplace_back("Neighbours on a side of 2 have two links in SimGrid, and one here.");
    }
    return torus;
}

/// Those who have it by name, unless they are many.
std::string delay_remark(double seconds, const std::vector<std::string>& whose) {
    constexpr std::size_t most_named = 6;
    const std::size_t named = whose.size() <= most_named + 1 ? whose.size() : most_named;
    std::string text = fmt::format("Not said below, since there is no word for it: a latency of {} of {}",
                                   duration_text(seconds, significant(6), DurationUnit::nanoseconds), whose.front());
    for (std::size_t index = 1; index < named; ++index) {
        text += (index + 1 == whose.size() ? " and " : ", ") + whose[index];
    }
    return text + (named < whose.size() ? fmt::format(" and {} others.", whose.size() - named) : ".");
}

}  // namespace

Expected<Wiring> read_simgrid(const Input& input) {
    const auto platform = read_platform(input.text, input.file);
    if (!platform) {
        return failure(platform.error());
    }
    std::optional<Wiring> wiring = torus_of(*platform);
    if (!wiring) {
        try {
            wiring = PlatformTree(*platform, input.file).build();
        } catch (const Mistake& mistake) {
            return failure(mistake.diagnostic);
        }
    }
    if (wiring->sides.size() > 3) {
        return failure({.file = input.file,
                        .line = platform->all.line,
                        .problem = fmt::format("a torus of {} sides", wiring->sides.size()),
                        .advice = "a topology file describes up to three"});
    }
    wiring->source = "a platform file of SimGrid's";
    for (const auto& [seconds, whose] : platform->delays) {
        wiring->remarks.push_back(delay_remark(seconds, whose));
    }
    return std::move(*wiring);
}

}  // namespace aapc::imports
