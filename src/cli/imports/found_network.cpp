// From a wiring to what a topology file says: the graph of switches, then what of it machines use, then the switches.
#include "cli/imports/found_network.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>

#include "aapc/input/units.hpp"
#include "cli/imports/switch_graph.hpp"
#include "input/wording.hpp"

namespace aapc::imports {

namespace {

constexpr int most_uplink_links = 1024;  // of a topology file
constexpr double unremarked = 1.01;      // rounding, and differences too small to matter

/// The value that most have; 0 for none.
double common_speed(const std::vector<double>& speeds) {
    std::map<double, int> counts;
    for (const double speed : speeds) {
        ++counts[speed];
    }
    const auto most = std::max_element(counts.begin(), counts.end(),
                                       [](const auto& one, const auto& other) { return one.second < other.second; });
    return most == counts.end() ? 0 : most->first;
}

/// Builds the network of one wiring.
class NetworkBuilder {
  public:
    NetworkBuilder(const Wiring& wiring, std::string file) : wiring_(wiring), file_(std::move(file)) {}

    Expected<FoundNetwork> build() {
        if (wiring_.machines.empty()) {
            return failure(
                {.file = file_,
                 .line = 1,
                 .problem = wiring_.switches.empty() ? "no switch is in it, and no machine" : "no machine is in it",
                 .advice = "give all that the tool prints, with the hosts"});
        }
        if (wiring_.switches.empty()) {
            return failure(
                {.file = file_, .line = 1, .problem = "no switch is in it", .advice = "give all that the tool prints"});
        }
        if (auto read = read_graph(); !read) {
            return failure(read.error());
        }
        if (auto reached = keep_what_machines_use(); !reached) {
            return failure(reached.error());
        }
        levels_ = distances(graph_, edge());
        found_.is_fabric = !is_tree(graph_) || !wiring_.forwarding.empty();
        taken_.insert(wiring_.machines.begin(), wiring_.machines.end());
        taken_.insert(wiring_.switches.begin(), wiring_.switches.end());
        if (found_.is_fabric) {
            write_fabric();
        } else {
            write_tree();
        }
        say_what_is_odd();
        return std::move(found_);
    }

  private:
    Expected<void> read_graph() {
        std::map<std::string, int> number;
        for (const std::string& name : wiring_.switches) {
            number.emplace(name, graph_.size());
            graph_.names.push_back({name});
        }
        graph_.next.resize(graph_.names.size());
        graph_.ports.resize(graph_.names.size());
        std::map<std::string, std::vector<const Cable*>> cables_of;  // by machine
        for (const Cable& cable : wiring_.cables) {
            const auto one = number.find(cable.one);
            const auto other = number.find(cable.other);
            if (one != number.end() && other != number.end()) {
                if (one != other) {
                    graph_.next[static_cast<std::size_t>(one->second)][other->second].add(cable);
                    graph_.next[static_cast<std::size_t>(other->second)][one->second].add(cable);
                }
            } else if (one != number.end() || other != number.end()) {
                cables_of[one == number.end() ? cable.one : cable.other].push_back(&cable);
            }
        }
        UnionFind same(graph_.size());
        std::vector<std::string> unplugged;
        std::set<int> cable_counts;
        std::vector<std::string> bonded;
        std::vector<std::pair<std::string, std::set<int>>> above_each;
        for (const std::string& machine : wiring_.machines) {
            const std::vector<const Cable*>& cables = cables_of[machine];
            if (cables.empty()) {
                unplugged.push_back(machine);
                continue;
            }
            Port port{machine, 0};
            int first = -1;
            int count = 0;
            bool known = true;
            std::set<int> all_above;
            for (const Cable* cable : cables) {
                const int above = number.at(cable->one == machine ? cable->other : cable->one);
                first = first < 0 ? above : first;
                all_above.insert(above);
                same.unite(first, above);
                port.speed += cable->count * cable->speed;
                count += cable->count;
                known = known && cable->speed > 0;
            }
            port.speed = known ? port.speed : 0;
            if (count > 1) {
                bonded.push_back(machine);
                cable_counts.insert(count);
            }
            above_each.emplace_back(machine, std::move(all_above));
            graph_.ports[static_cast<std::size_t>(first)].push_back(std::move(port));
        }
        if (!unplugged.empty()) {
            remark(fmt::format("Left out, since no cable to a switch is known: {}.", listed(unplugged)));
        }
        if (!bonded.empty()) {
            const std::string counts = cable_counts.size() == 1 ? fmt::format("{}", *cable_counts.begin())
                                                                : fmt::format("up to {}", *cable_counts.rbegin());
            remark(
                fmt::format("{} machines have {} cables of the same speed, which are taken as one link of their "
                            "sum (a bond): {}.",
                            bonded.size(), counts, listed(bonded)));
        }
        if (auto united = unite(same, above_each); !united) {
            return united;
        }
        return {};
    }

    /// Switches that machines are plugged into together.
    Expected<void> unite(UnionFind& same, const std::vector<std::pair<std::string, std::set<int>>>& above_each) {
        std::map<int, std::vector<int>> groups;  // by their first
        for (int vertex = 0; vertex < graph_.size(); ++vertex) {
            groups[same.find(vertex)].push_back(vertex);
        }
        // Two are a pair (MLAG) even if some machines have one cable; a longer chain is several networks.
        for (const auto& [machine, above] : above_each) {
            const std::vector<int>& group = groups.at(same.find(*above.begin()));
            if (group.size() > 2 && above.size() != group.size()) {
                return failure(
                    {.file = file_,
                     .problem = fmt::format("machine {} is plugged into {}, and others that share a switch "
                                            "with it into others of {}",
                                            in_quotes(machine), listed(names_of({above.begin(), above.end()})),
                                            listed(names_of(group))),
                     .advice = "leave out what is another network, such as for management or storage, with "
                               "--leave-out"});
            }
        }
        UnionFind to_contract(graph_.size());
        std::vector<std::vector<int>> kept_apart;
        for (const auto& [first, group] : groups) {
            if (group.size() < 2) {
                continue;
            }
            const std::string names = listed(names_of(group));
            if (!carry_the_same(group)) {
                kept_apart.push_back(group);
                continue;
            }
            for (const int vertex : group) {
                to_contract.unite(first, vertex);
            }
            remark(
                fmt::format("{} are one switch here, '{}', since machines are plugged into all of them (MLAG). "
                            "If one of them is another network, leave it out with --leave-out.",
                            names, graph_.name(first)));
        }
        for (const std::vector<int>& group : kept_apart) {
            to_contract.add();
            put_before(group);
        }
        std::vector<int> number;
        graph_ = contracted(graph_, to_contract, number);
        return {};
    }

    [[nodiscard]] std::vector<std::string> names_of(const std::vector<int>& vertices) const {
        std::vector<std::string> names;
        names.reserve(vertices.size());
        for (const int vertex : vertices) {
            names.push_back(graph_.name(vertex));
        }
        return names;
    }

    /// Whether the cables of each of these switches to all others are as fast together.
    [[nodiscard]] bool carry_the_same(const std::vector<int>& group) const {
        double least = std::numeric_limits<double>::infinity();
        double most = 0;
        for (const int vertex : group) {
            double outwards = 0;
            for (const auto& [other, trunk] : graph_.around(vertex)) {
                const bool is_inside = std::find(group.begin(), group.end(), other) != group.end();
                outwards += is_inside ? 0 : trunk.capacity(1);
            }
            least = std::min(least, outwards);
            most = std::max(most, outwards);
        }
        return most <= unremarked * least;
    }

    /// A switch for the machines of these switches, with their cables to each of them.
    void put_before(const std::vector<int>& group) {
        const int before = graph_.size();
        std::string name = fmt::format("{}-pair", graph_.name(group.front()));
        while (std::find(wiring_.switches.begin(), wiring_.switches.end(), name) != wiring_.switches.end() ||
               std::find(wiring_.machines.begin(), wiring_.machines.end(), name) != wiring_.machines.end()) {
            name += "-of-machines";
        }
        remark(
            fmt::format("'{}' stands for the ports of the machines that are plugged into {} together (MLAG), whose "
                        "cables to other switches do not carry the same.",
                        name, listed(names_of(group))));
        graph_.names.push_back({name});
        graph_.next.emplace_back();
        graph_.ports.emplace_back();
        std::set<std::string> machines;
        for (const int vertex : group) {
            std::vector<Port>& ports = graph_.ports[static_cast<std::size_t>(vertex)];
            for (const Port& port : ports) {
                machines.insert(port.machine);
            }
            std::vector<Port>& all = graph_.ports.back();
            all.insert(all.end(), ports.begin(), ports.end());
            ports.clear();
        }
        std::map<std::string, int> number;
        for (const int vertex : group) {
            number.emplace(graph_.name(vertex), vertex);
        }
        for (const Cable& cable : wiring_.cables) {
            const bool is_first = machines.contains(cable.other);
            const auto found = number.find(is_first ? cable.one : cable.other);
            if (found != number.end() && (is_first || machines.contains(cable.one))) {
                graph_.next[static_cast<std::size_t>(before)][found->second].add(cable);
                graph_.next[static_cast<std::size_t>(found->second)][before].add(cable);
            }
        }
    }

    /// Keeps the part that has the machines, without branches that have none.
    Expected<void> keep_what_machines_use() {
        int first = 0;
        while (first < graph_.size() && !graph_.has_machines(first)) {
            ++first;
        }
        if (first == graph_.size()) {
            return failure({.file = file_,
                            .line = 1,
                            .problem = "no machine is plugged into a switch",
                            .advice = "give all that the tool prints, with the hosts"});
        }
        const std::vector<int> distance = distances(graph_, {first});
        std::vector<bool> kept(distance.size());
        for (int vertex = 0; vertex < graph_.size(); ++vertex) {
            const bool is_reached = distance[static_cast<std::size_t>(vertex)] >= 0;
            if (!is_reached && graph_.has_machines(vertex)) {
                const auto line = wiring_.lines.find(graph_.name(vertex));
                return failure({.file = file_,
                                .line = line == wiring_.lines.end() ? 0 : line->second,
                                .problem = fmt::format("the switches are in parts that nothing connects: {} and {}",
                                                       in_quotes(graph_.name(first)), in_quotes(graph_.name(vertex))),
                                .advice = "describe what connects them, or leave one part out with --leave-out"});
            }
            kept[static_cast<std::size_t>(vertex)] = is_reached;
        }
        for (bool changed = true; changed;) {
            changed = false;
            for (int vertex = 0; vertex < graph_.size(); ++vertex) {
                const auto around =
                    std::count_if(graph_.around(vertex).begin(), graph_.around(vertex).end(),
                                  [&](const auto& next) { return kept[static_cast<std::size_t>(next.first)]; });
                if (kept[static_cast<std::size_t>(vertex)] && !graph_.has_machines(vertex) && around < 2) {
                    kept[static_cast<std::size_t>(vertex)] = false;
                    changed = true;
                }
            }
        }
        drop(kept);
        return {};
    }

    void drop(const std::vector<bool>& kept) {
        std::vector<std::string> dropped;
        std::vector<int> number;
        Graph smaller;
        for (std::size_t vertex = 0; vertex < kept.size(); ++vertex) {
            number.push_back(kept[vertex] ? smaller.size() : -1);
            if (kept[vertex]) {
                smaller.names.push_back(graph_.names[vertex]);
                smaller.ports.push_back(graph_.ports[vertex]);
            } else {
                dropped.insert(dropped.end(), graph_.names[vertex].begin(), graph_.names[vertex].end());
            }
        }
        smaller.next.resize(smaller.names.size());
        for (std::size_t vertex = 0; vertex < kept.size(); ++vertex) {
            for (const auto& [other, trunk] : graph_.next[vertex]) {
                if (kept[vertex] && kept[static_cast<std::size_t>(other)]) {
                    smaller.next[static_cast<std::size_t>(number[vertex])][number[static_cast<std::size_t>(other)]] =
                        trunk;
                }
            }
        }
        graph_ = std::move(smaller);
        if (!dropped.empty()) {
            remark(fmt::format("Left out, since no message between machines passes there: {} {}.",
                               dropped.size() == 1 ? "switch" : "switches", listed(dropped)));
        }
    }

    /// The switches that machines are plugged into.
    [[nodiscard]] std::vector<int> edge() const {
        std::vector<int> with_machines;
        for (int vertex = 0; vertex < graph_.size(); ++vertex) {
            if (graph_.has_machines(vertex)) {
                with_machines.push_back(vertex);
            }
        }
        return with_machines;
    }

    [[nodiscard]] int level(int vertex) const { return levels_[static_cast<std::size_t>(vertex)]; }

    /// The highest, of several the first without machines.
    [[nodiscard]] int root() const {
        int root = 0;
        const auto rank = [&](int vertex) { return std::pair(level(vertex), !graph_.has_machines(vertex)); };
        for (int vertex = 1; vertex < graph_.size(); ++vertex) {
            root = rank(vertex) > rank(root) ? vertex : root;
        }
        return root;
    }

    void write_tree() {
        std::vector<std::pair<int, int>> to_write = {{root(), -1}};
        while (!to_write.empty()) {
            const auto [vertex, above] = to_write.back();
            to_write.pop_back();
            FoundSwitch found;
            found.name = graph_.name(vertex);
            if (above >= 0) {
                found.uplinks.push_back(uplink(vertex, above, graph_.around(vertex).at(above)));
            }
            write_switch(std::move(found), vertex);
            const Neighbours& around = graph_.around(vertex);
            for (auto next = around.rbegin(); next != around.rend(); ++next) {
                if (next->first != above) {
                    to_write.emplace_back(next->first, vertex);
                }
            }
        }
    }

    /// Nearest to machines first; a cable belongs to its end that is written first.
    void write_fabric() {
        std::vector<int> order(static_cast<std::size_t>(graph_.size()));
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(), [&](int one, int other) { return level(one) < level(other); });
        std::vector<bool> is_written(order.size(), false);
        for (const int vertex : order) {
            is_written[static_cast<std::size_t>(vertex)] = true;
            FoundSwitch found;
            found.name = graph_.name(vertex);
            for (const auto& [other, trunk] : graph_.around(vertex)) {
                if (!is_written[static_cast<std::size_t>(other)]) {
                    found.uplinks.push_back(uplink(vertex, other, trunk));
                }
            }
            found.routes = routes(vertex);
            write_switch(std::move(found), vertex);
        }
        found_.paths = wiring_.paths;
        std::string paths =
            "their paths are taken to be hashed, a cable for each connection; write \"sprayed\" if "
            "cables share every message. Cables that stand by (spanning tree) do not belong here";
        if (!wiring_.forwarding.empty()) {
            paths = "their paths are those of the forwarding tables";
        } else if (wiring_.paths == "static" && is_regular()) {
            paths =
                "their paths are taken to be destination-modulo, as OpenSM's ftree routes full fat trees; give "
                "--tables for those that it has, or write \"sprayed\" if routing is adaptive";
        } else if (wiring_.paths == "static") {
            found_.paths = "sprayed";
            paths =
                "their tables cannot be guessed, since cables are missing or unequal: all are taken to share evenly, "
                "which is the best that tables can do. Give --tables for those that it has";
        }
        remark(fmt::format("Several ways lead from switch to switch, and {}.", paths));
    }

    /// Whether cables join neighbouring levels alone, and all switches of a level have as many upwards.
    [[nodiscard]] bool is_regular() const {
        std::map<int, int> upwards;  // by level
        for (int vertex = 0; vertex < graph_.size(); ++vertex) {
            int cables = 0;
            for (const auto& [other, trunk] : graph_.around(vertex)) {
                if (level(other) == level(vertex)) {
                    return false;
                }
                cables += level(other) > level(vertex) ? trunk.count() : 0;
            }
            if (upwards.emplace(level(vertex), cables).first->second != cables) {
                return false;
            }
        }
        return true;
    }

    /// What the forwarding table of a switch sends over each of its cables.
    [[nodiscard]] std::vector<FoundRoute> routes(int vertex) const {
        std::vector<FoundRoute> routes;
        const auto forwarding = wiring_.forwarding.find(graph_.name(vertex));
        if (forwarding == wiring_.forwarding.end()) {
            return routes;
        }
        std::map<std::size_t, std::vector<std::string>> by_cable;
        for (const std::string& machine : wiring_.machines) {
            if (const auto cable = forwarding->second.find(machine); cable != forwarding->second.end()) {
                by_cable[cable->second].push_back(machine);
            }
        }
        for (const auto& [other, trunk] : graph_.around(vertex)) {
            for (std::size_t which = 0; which < trunk.single.size(); ++which) {
                const auto index = static_cast<std::size_t>(trunk.single[which] - wiring_.cables.data());
                const auto machines = by_cable.find(index);
                if (machines == by_cable.end()) {
                    continue;
                }
                const int cable = is_uniform(trunk) ? static_cast<int>(which) : 0;
                if (cable == 0 && !routes.empty() && routes.back().to == graph_.name(other)) {
                    std::vector<std::string>& all = routes.back().machines;
                    all.insert(all.end(), machines->second.begin(), machines->second.end());
                } else {
                    routes.push_back({graph_.name(other), cable, machines->second});
                }
            }
        }
        return routes;
    }

    void write_switch(FoundSwitch found, int vertex) {
        std::vector<double> speeds;
        for (const Port& port : graph_.ports_of(vertex)) {
            if (port.speed > 0) {
                speeds.push_back(port.speed);
            }
        }
        found.machine_speed = common_speed(speeds);
        if (!speeds.empty() && speeds.size() < graph_.ports_of(vertex).size()) {
            like_others_.push_back(found.name);
        }
        found_.switches.push_back(std::move(found));
        write_machines(graph_.ports_of(vertex));
    }

    void say_what_is_odd() {
        const std::pair<std::string_view, const std::vector<std::string>&> oddities[] = {
            {"Links of another speed than others of their switch", of_other_speed_},
            {"Links to machines of unknown speed are taken to be as fast as the others of their switch", like_others_},
            {"Cables of unknown speed beside others are taken to be as slow as the slowest of these", guessed_},
            {"Slower than the cables beside them (a fault?)", slow_},
            {"Cables of several speeds are one link of their sum", summed_},
        };
        for (const auto& [what, which] : oddities) {
            if (!which.empty()) {
                remark(fmt::format("{}: {}.", what, listed(which)));
            }
        }
    }

    /// Whether all cables, those of unknown speed aside, have one speed.
    static bool is_uniform(const Trunk& trunk) {
        return std::count_if(trunk.cables.begin(), trunk.cables.end(),
                             [](const auto& cable) { return cable.first > 0; }) <= 1;
    }

    /// A bundle where all cables are of one speed, else one link of their sum.
    FoundUplink uplink(int vertex, int other, const Trunk& trunk) {
        const std::string ends = fmt::format("{} - {}", graph_.name(vertex), graph_.name(other));
        const double slowest = trunk.slowest_known(0);
        if (trunk.cables.begin()->first <= 0 && slowest > 0) {
            guessed_.push_back(ends);
        }
        if (is_uniform(trunk) && trunk.count() <= most_uplink_links) {
            return {graph_.name(other), slowest, trunk.count()};
        }
        if (slowest <= 0) {  // of more cables than a topology file can say, none known
            remark(fmt::format("{} has {} cables; a topology file says at most {}.", ends, trunk.count(),
                               most_uplink_links));
            return {graph_.name(other), 0, most_uplink_links};
        }
        const double sum = trunk.capacity(0);
        if (is_uniform(trunk)) {
            return {graph_.name(other), sum, 1};
        }
        std::map<double, int> cables;
        for (const auto& [speed, count] : trunk.cables) {
            cables[speed > 0 ? speed : slowest] += count;
        }
        const double fastest = cables.rbegin()->first;
        std::string parts;
        for (auto each = cables.rbegin(); each != cables.rend(); ++each) {
            parts += fmt::format("{}{} x {}", parts.empty() ? "" : " + ", each->second, speed_text(each->first));
        }
        summed_.push_back(fmt::format("{}: {} = {}", ends, parts, speed_text(sum)));
        for (const Cable* cable : trunk.single) {
            if (cable->speed > 0 && cable->speed < fastest) {
                slow_.push_back(fmt::format("{} ({})",
                                            cable->label.empty() ? cable->one + " - " + cable->other : cable->label,
                                            speed_text(cable->speed)));
            }
        }
        return {graph_.name(other), sum, 1};
    }

    /// A switch has one speed for all its machines. A machine whose speed is known to differ gets a switch of its own
    /// with an uplink of that speed, which is the same network.
    void write_machines(const std::vector<Port>& ports) {
        const std::size_t whole = found_.switches.size() - 1;
        const double usual = found_.switches[whole].machine_speed;
        for (const Port& port : ports) {
            const bool is_usual = port.speed <= 0 || usual <= 0 || std::abs(port.speed - usual) <= 1e-3 * port.speed;
            if (is_usual) {
                found_.switches[whole].machines.push_back(port.machine);
                continue;
            }
            std::string name = port.machine.substr(0, max_name_length - 20) + "-port";
            for (int number = 2; !taken_.insert(name).second; ++number) {
                name = fmt::format("{}-port{}", port.machine.substr(0, max_name_length - 20), number);
            }
            found_.switches.push_back(
                {name, {{found_.switches[whole].name, port.speed, 1}}, {port.machine}, port.speed, true, {}});
            of_other_speed_.push_back(fmt::format("{} ({})", port.machine, speed_text(port.speed)));
        }
    }

    void remark(const std::string& text) { add_remark(found_.remarks, text); }

    const Wiring& wiring_;
    std::string file_;
    Graph graph_;
    std::vector<int> levels_;  ///< by vertex of the graph: how far it is from a switch with machines
    FoundNetwork found_;
    std::set<std::string> taken_;
    std::vector<std::string> of_other_speed_;
    std::vector<std::string> like_others_;
    std::vector<std::string> guessed_;
    std::vector<std::string> slow_;
    std::vector<std::string> summed_;
};

}  // namespace

Expected<FoundNetwork> found_network(const Wiring& wiring, const std::string& file) {
    return NetworkBuilder(wiring, file).build();
}

}  // namespace aapc::imports
