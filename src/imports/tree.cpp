// From a wiring to a tree: the graph of switches, then which of them are one, then the switches from the top down.
#include "imports/tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "aapc/input/units.hpp"
#include "imports/switch_graph.hpp"
#include "input/wording.hpp"

namespace aapc::imports {

namespace {

constexpr int most_uplink_links = 1024;  // of a topology file
constexpr double unremarked = 1.01;      // rounding, and differences too small to matter
constexpr double tolerated = 1.25;       // of the bound; beyond, a tree would promise what is not there

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

/// From the switches on the edge upwards: all that are above the same one become one.
UnionFind merged_by_level(const Graph& graph, const std::vector<int>& edge, std::vector<int>& levels) {
    levels = distances(graph, edge);
    const auto level = [&](int vertex) { return levels[static_cast<std::size_t>(vertex)]; };
    UnionFind groups(graph.size());
    const int top = *std::max_element(levels.begin(), levels.end());
    for (int lower = 0; lower < top; ++lower) {
        std::map<int, int> above;  // by the group below: the first of the group above
        for (int vertex = 0; vertex < graph.size(); ++vertex) {
            if (level(vertex) != lower) {
                continue;
            }
            for (const auto& [other, trunk] : graph.around(vertex)) {
                if (level(other) == lower + 1) {
                    groups.unite(above.emplace(groups.find(vertex), other).first->second, other);
                }
            }
        }
    }
    return groups;
}

/// Which switches may be those at the edge. A few machines on a spine (storage, a login node) do not make a leaf of it.
std::vector<std::vector<int>> possible_edges(const Graph& graph) {
    std::vector<int> with_machines;
    std::set<std::set<int>> without;  // neighbourhoods of switches that have none
    std::size_t most = 0;
    const auto neighbours = [&](int vertex) {
        std::set<int> around;
        for (const auto& [other, trunk] : graph.around(vertex)) {
            around.insert(other);
        }
        return around;
    };
    for (int vertex = 0; vertex < graph.size(); ++vertex) {
        most = std::max(most, graph.ports_of(vertex).size());
        if (graph.has_machines(vertex)) {
            with_machines.push_back(vertex);
        } else {
            without.insert(neighbours(vertex));
        }
    }
    std::vector<int> unlike_spines;
    std::vector<int> well_filled;
    for (const int vertex : with_machines) {
        if (!without.contains(neighbours(vertex))) {
            unlike_spines.push_back(vertex);
        }
        if (2 * graph.ports_of(vertex).size() > most) {
            well_filled.push_back(vertex);
        }
    }
    return {with_machines, unlike_spines, well_filled};
}

/// A graph that is a tree, and what it was made of.
struct Merged {
    Graph graph;
    std::vector<int> levels;  ///< of its vertices
    double beyond_bound = 1;  ///< the busiest cable's time on the network as read, by the tree's bound
    Busiest busiest;
};

std::optional<Merged> merge(const Graph& graph, const std::vector<int>& edge, double unknown) {
    if (edge.empty()) {
        return std::nullopt;
    }
    std::vector<int> levels;
    UnionFind groups = merged_by_level(graph, edge, levels);
    std::vector<int> number;
    Merged merged{contracted(graph, groups, number), {}, 1, {}};
    if (!is_tree(merged.graph)) {
        return std::nullopt;
    }
    merged.levels.resize(merged.graph.names.size());
    for (std::size_t vertex = 0; vertex < number.size(); ++vertex) {
        merged.levels[static_cast<std::size_t>(number[vertex])] = levels[vertex];
    }
    const double port = busiest_port(graph, unknown);
    const double bound = std::max(port, busiest_cable(merged.graph, unknown).seconds);
    merged.busiest = busiest_cable(graph, unknown);
    merged.beyond_bound = std::max(port, merged.busiest.seconds) / bound;
    return merged;
}

/// Builds the tree for one wiring.
class TreeBuilder {
  public:
    TreeBuilder(const Wiring& wiring, std::string file) : wiring_(wiring), file_(std::move(file)) {}

    Expected<FoundTree> build() {
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
        unknown_ = unknown_speed();
        auto merged = as_tree();
        if (!merged) {
            return failure(merged.error());
        }
        write(*merged);
        return std::move(tree_);
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
        std::vector<int> group;
        Graph grouped = contracted(graph_, same, group);
        // Two are a pair (MLAG) even if some machines have one cable; a longer chain is several networks.
        for (const auto& [machine, above] : above_each) {
            const std::vector<std::string>& names =
                grouped.names[static_cast<std::size_t>(group[static_cast<std::size_t>(*above.begin())])];
            if (names.size() > 2 && above.size() != names.size()) {
                std::vector<std::string> own;
                for (const int vertex : above) {
                    own.push_back(graph_.name(vertex));
                }
                return failure({.file = file_,
                                .problem = fmt::format("machine {} is plugged into {}, and others that share a switch "
                                                       "with it into others of {}",
                                                       in_quotes(machine), listed(own), listed(names)),
                                .advice = "leave out what is another network, such as for management or storage, with "
                                          "--leave-out"});
            }
        }
        graph_ = std::move(grouped);
        for (const std::vector<std::string>& names : graph_.names) {
            if (names.size() > 1) {
                remark(
                    fmt::format("{} are one switch here, '{}', since machines are plugged into all of them (MLAG). "
                                "If one of them is another network, leave it out with --leave-out.",
                                listed(names), names.front()));
            }
        }
        return {};
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

    /// What a link of unknown speed is taken to have while cuts are compared: the fastest that is known.
    [[nodiscard]] double unknown_speed() const {
        double fastest = 0;
        for (const Cable& cable : wiring_.cables) {
            fastest = std::max(fastest, cable.speed);
        }
        return fastest > 0 ? fastest : 1;
    }

    Expected<Merged> as_tree() {
        if (is_tree(graph_)) {
            std::vector<int> edge;
            for (int vertex = 0; vertex < graph_.size(); ++vertex) {
                if (graph_.has_machines(vertex)) {
                    edge.push_back(vertex);
                }
            }
            return Merged{graph_, distances(graph_, edge), 1, {}};
        }
        std::optional<Merged> best;
        for (const std::vector<int>& edge : possible_edges(graph_)) {
            auto merged = merge(graph_, edge, unknown_);
            if (merged && (!best || merged->beyond_bound < best->beyond_bound * (1 - 1e-9))) {
                best = std::move(merged);
            }
            if (best && best->beyond_bound <= unremarked) {
                break;
            }
        }
        if (!best) {
            const auto pair = closing_pair(graph_);
            return failure(
                {.file = file_,
                 .problem = fmt::format("several paths join {} and {}, and they are no fat tree",
                                        in_quotes(pair ? pair->first : ""), in_quotes(pair ? pair->second : "")),
                 .advice = "only a tree, or switches above the same switches, can be followed; leave cables that "
                           "stand by out, or describe a torus or clusters by hand"});
        }
        if (best->beyond_bound > tolerated) {
            return failure({.file = file_,
                            .problem = fmt::format("no tree stands for these paths: the cables between {} and {} take "
                                                   "{:.3g} times as long as its bound says",
                                                   in_quotes(best->busiest.one), in_quotes(best->busiest.other),
                                                   best->beyond_bound),
                            .advice = "the switches above the same ones do not connect the same ones; leave those "
                                      "that differ out with --leave-out, or describe the network by hand"});
        }
        if (best->beyond_bound > unremarked) {
            remark(
                fmt::format("Paths are not quite a tree: the cables between {} and {} take {:.3g} times as long as "
                            "the bound of this file says.",
                            best->busiest.one, best->busiest.other, best->beyond_bound));
        }
        name_groups(best->graph, best->levels);
        return std::move(*best);
    }

    /// The topmost group is called "core", others like their first switch.
    void name_groups(Graph& graph, const std::vector<int>& levels) {
        const int root = root_of(graph, levels);
        const std::set<std::string> all(wiring_.switches.begin(), wiring_.switches.end());
        const std::set<std::string> machines(wiring_.machines.begin(), wiring_.machines.end());
        std::vector<std::string> groups;
        for (int vertex = 0; vertex < graph.size(); ++vertex) {
            std::vector<std::string>& names = graph.names[static_cast<std::size_t>(vertex)];
            if (names.size() == 1 || is_known_group(names)) {
                continue;
            }
            const std::vector<std::string> members = names;
            const bool is_free = std::find(members.begin(), members.end(), "core") != members.end() ||
                                 (!all.contains("core") && !machines.contains("core"));
            if (vertex == root && is_free) {
                names = {"core"};
            }
            groups.push_back(fmt::format("'{}' for {}", names.front(), listed(members)));
        }
        const std::size_t most = 8;
        std::string text;
        for (std::size_t index = 0; index < std::min(groups.size(), most); ++index) {
            text += (index == 0 ? "" : "; ") + groups[index];
        }
        text += groups.size() > most ? fmt::format("; and {} more", groups.size() - most) : "";
        remark(
            fmt::format("Switches above the same switches are one here, their routes believed to share the cables "
                        "evenly: {}.",
                        text));
    }

    /// True if the switches were one before, because machines are plugged into all of them.
    [[nodiscard]] bool is_known_group(const std::vector<std::string>& names) const {
        return std::find(graph_.names.begin(), graph_.names.end(), names) != graph_.names.end();
    }

    /// The highest, of several the first without machines.
    static int root_of(const Graph& graph, const std::vector<int>& levels) {
        int root = 0;
        const auto rank = [&](int vertex) {
            return std::pair(levels[static_cast<std::size_t>(vertex)], !graph.has_machines(vertex));
        };
        for (int vertex = 1; vertex < graph.size(); ++vertex) {
            root = rank(vertex) > rank(root) ? vertex : root;
        }
        return root;
    }

    void write(const Merged& merged) {
        const Graph& graph = merged.graph;
        taken_.insert(wiring_.machines.begin(), wiring_.machines.end());
        for (int vertex = 0; vertex < graph.size(); ++vertex) {
            taken_.insert(graph.name(vertex));
        }
        std::vector<std::pair<int, int>> to_write = {{root_of(graph, merged.levels), -1}};
        while (!to_write.empty()) {
            const auto [vertex, above] = to_write.back();
            to_write.pop_back();
            FoundSwitch found;
            found.name = graph.name(vertex);
            if (above >= 0) {
                found.uplink = graph.name(above);
                set_uplink(found, graph.around(vertex).at(above));
            }
            std::vector<double> speeds;
            for (const Port& port : graph.ports_of(vertex)) {
                if (port.speed > 0) {
                    speeds.push_back(port.speed);
                }
            }
            found.machine_speed = common_speed(speeds);
            if (!speeds.empty() && speeds.size() < graph.ports_of(vertex).size()) {
                like_others_.push_back(found.name);
            }
            tree_.switches.push_back(std::move(found));
            write_machines(graph.ports_of(vertex));
            const Neighbours& around = graph.around(vertex);
            for (auto next = around.rbegin(); next != around.rend(); ++next) {
                if (next->first != above) {
                    to_write.emplace_back(next->first, vertex);
                }
            }
        }
        if (!of_other_speed_.empty()) {
            remark(fmt::format("Links of another speed than others of their switch: {}.", listed(of_other_speed_)));
        }
        if (!like_others_.empty()) {
            remark(
                fmt::format("Links to machines of unknown speed are taken to be as fast as the others of their "
                            "switch: {}.",
                            listed(like_others_)));
        }
        if (!guessed_.empty()) {
            remark(
                fmt::format("Cables of unknown speed beside others are taken to be as slow as the slowest of these: "
                            "{}.",
                            listed(guessed_)));
        }
        if (!slow_.empty()) {
            remark(fmt::format("Slower than the cables beside them (a fault?): {}.", listed(slow_)));
        }
        if (!summed_.empty()) {
            remark(fmt::format("Cables of several speeds are one link of their sum: {}.", listed(summed_)));
        }
    }

    /// A bundle where all cables are of one speed, else one link of their sum.
    void set_uplink(FoundSwitch& found, const Trunk& trunk) {
        const std::string ends = fmt::format("{} - {}", found.name, found.uplink);
        const double slowest = trunk.slowest_known(0);
        if (trunk.cables.begin()->first <= 0 && slowest > 0) {
            guessed_.push_back(ends);
        }
        std::map<double, int> cables;
        for (const auto& [speed, count] : trunk.cables) {
            cables[speed > 0 ? speed : slowest] += count;
        }
        if (cables.size() == 1 && trunk.count() <= most_uplink_links) {
            found.uplink_speed = slowest;
            found.uplink_links = trunk.count();
            return;
        }
        if (slowest <= 0) {  // of more cables than a topology file can say, none known
            found.uplink_links = most_uplink_links;
            remark(fmt::format("{} has {} cables; a topology file says at most {}.", ends, trunk.count(),
                               most_uplink_links));
            return;
        }
        found.uplink_speed = trunk.capacity(0);
        if (cables.size() == 1) {
            return;
        }
        const double fastest = cables.rbegin()->first;
        std::string parts;
        for (auto each = cables.rbegin(); each != cables.rend(); ++each) {
            parts += fmt::format("{}{} x {}", parts.empty() ? "" : " + ", each->second, speed_text(each->first));
        }
        summed_.push_back(fmt::format("{}: {} = {}", ends, parts, speed_text(found.uplink_speed)));
        for (const Cable* cable : trunk.single) {
            if (cable->speed > 0 && cable->speed < fastest) {
                slow_.push_back(fmt::format("{} ({})",
                                            cable->label.empty() ? cable->one + " - " + cable->other : cable->label,
                                            speed_text(cable->speed)));
            }
        }
    }

    /// A switch has one speed for all its machines. A machine whose speed is known to differ gets a switch of its own
    /// with an uplink of that speed, which is the same network.
    void write_machines(const std::vector<Port>& ports) {
        const std::size_t whole = tree_.switches.size() - 1;
        const double usual = tree_.switches[whole].machine_speed;
        for (const Port& port : ports) {
            const bool is_usual = port.speed <= 0 || usual <= 0 || std::abs(port.speed - usual) <= 1e-3 * port.speed;
            if (is_usual) {
                tree_.switches[whole].machines.push_back(port.machine);
                continue;
            }
            std::string name = port.machine.substr(0, max_name_length - 20) + "-port";
            for (int number = 2; !taken_.insert(name).second; ++number) {
                name = fmt::format("{}-port{}", port.machine.substr(0, max_name_length - 20), number);
            }
            tree_.switches.push_back(
                {name, tree_.switches[whole].name, port.speed, 1, {port.machine}, port.speed, true});
            of_other_speed_.push_back(fmt::format("{} ({})", port.machine, speed_text(port.speed)));
        }
    }

    void remark(const std::string& text) { add_remark(tree_.remarks, text); }

    const Wiring& wiring_;
    std::string file_;
    Graph graph_;
    double unknown_ = 1;
    FoundTree tree_;
    std::set<std::string> taken_;
    std::vector<std::string> of_other_speed_;
    std::vector<std::string> like_others_;
    std::vector<std::string> guessed_;
    std::vector<std::string> slow_;
    std::vector<std::string> summed_;
};

}  // namespace

Expected<FoundTree> tree_of(const Wiring& wiring, const std::string& file) { return TreeBuilder(wiring, file).build(); }

}  // namespace aapc::imports
