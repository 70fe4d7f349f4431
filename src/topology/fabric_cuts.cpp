// Parts of a fabric that hang together stage by stage: a tree of them, and the loads of regular fabrics.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "aapc/topology/fabric.hpp"
#include "topology/fabric_links.hpp"

namespace aapc {

using fabrics::index;

namespace {

/// Switches that hang together by switches of at most a certain stage.
struct Part {
    Vertex first = -1;  ///< a switch of it
    std::int32_t above = -1;
    std::size_t switches = 0;
    std::vector<std::int32_t> cables;  ///< links that leave it; none of the topmost
};

/// The cables between switches by the switch, one after the other in memory: they are walked through for every stage.
class SwitchCables {
  public:
    struct Cable {
        std::int32_t link = -1;
        Vertex end = -1;  ///< the other switch
    };

    explicit SwitchCables(const Network& fabric)
        : is_switch_(fabric.vertices().size()), first_(fabric.vertices().size() + 1, 0) {
        std::transform(fabric.vertices().begin(), fabric.vertices().end(), is_switch_.begin(),
                       [](const NetworkVertex& vertex) { return vertex.is_switch; });
        const auto joins_switches = [&](const Link& link) { return is_switch(link.lower) && is_switch(link.upper); };
        for (const Link& link : fabric.links()) {
            if (joins_switches(link)) {
                ++first_[index(link.lower) + 1];
                ++first_[index(link.upper) + 1];
            }
        }
        std::partial_sum(first_.begin(), first_.end(), first_.begin());
        cables_.resize(first_.back());
        std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
        for (std::size_t number = 0; number < fabric.links().size(); ++number) {
            const Link& link = fabric.links()[number];
            if (joins_switches(link)) {
                cables_[next[index(link.lower)]++] = {static_cast<std::int32_t>(number), link.upper};
                cables_[next[index(link.upper)]++] = {static_cast<std::int32_t>(number), link.lower};
            }
        }
    }

    /// Those of a switch, in order of link.
    [[nodiscard]] std::span<const Cable> of(Vertex at) const {
        return std::span(cables_).subspan(first_[index(at)], first_[index(at) + 1] - first_[index(at)]);
    }

    [[nodiscard]] bool is_switch(Vertex at) const { return is_switch_[index(at)]; }

  private:
    std::vector<bool> is_switch_;  ///< by vertex: what networks say of vertices is spread over memory
    std::vector<std::size_t> first_;
    std::vector<Cable> cables_;
};

struct Parts {
    explicit Parts(const Network& fabric) : cables(fabric) {}

    SwitchCables cables;
    std::vector<std::int32_t>
        stage;                ///< by vertex: links from the nearest leaf; -1 for machines and what is not reached
    std::vector<Part> parts;  ///< the topmost first, parts before those inside them
    std::vector<std::int32_t> smallest;  ///< by vertex: the smallest part that has it; -1
};

/// Leaves first, in order of vertex, then by stage. Fills in `stage`.
std::vector<Vertex> by_stage(const Network& fabric, const SwitchCables& cables, std::vector<std::int32_t>& stage) {
    stage.assign(fabric.vertices().size(), -1);
    std::vector<Vertex> reached;
    for (const Link& link : fabric.links()) {
        if (cables.is_switch(link.lower) == cables.is_switch(link.upper)) {
            continue;
        }
        const Vertex leaf = cables.is_switch(link.lower) ? link.lower : link.upper;
        if (stage[index(leaf)] < 0) {
            stage[index(leaf)] = 0;
            reached.push_back(leaf);
        }
    }
    std::sort(reached.begin(), reached.end());
    for (std::size_t next = 0; next < reached.size(); ++next) {
        for (const SwitchCables::Cable& cable : cables.of(reached[next])) {
            if (stage[index(cable.end)] < 0) {
                stage[index(cable.end)] = stage[index(reached[next])] + 1;
                reached.push_back(cable.end);
            }
        }
    }
    return reached;
}

/// All that hangs together with a switch by switches of stage `most` at most; every leaf by itself if it is -1.
struct Component {
    std::vector<Vertex> members;
    std::vector<std::int32_t> cables;  ///< that leave it
};

Component component_of(const SwitchCables& cables, const std::vector<std::int32_t>& stage, Vertex start,
                       std::int32_t most, std::vector<bool>& seen) {
    Component component{{start}, {}};
    seen[index(start)] = true;
    for (std::size_t next = 0; next < component.members.size(); ++next) {
        for (const SwitchCables::Cable& cable : cables.of(component.members[next])) {
            if (stage[index(cable.end)] > most) {
                component.cables.push_back(cable.link);
            } else if (!seen[index(cable.end)]) {
                seen[index(cable.end)] = true;
                component.members.push_back(cable.end);
            }
        }
    }
    return component;
}

Parts parts_of(const Network& fabric) {
    Parts found(fabric);
    const SwitchCables& cables = found.cables;
    const std::vector<Vertex> reached = by_stage(fabric, cables, found.stage);
    found.smallest.assign(fabric.vertices().size(), -1);
    const std::int32_t top = reached.empty() ? -1 : found.stage[index(reached.back())];
    for (std::int32_t most = std::max(top, 0); most >= -1; --most) {
        const std::vector<std::int32_t> above = found.smallest;
        std::vector<bool> seen(fabric.vertices().size(), false);
        for (const Vertex start : reached) {
            if (seen[index(start)] || found.stage[index(start)] > std::max(most, 0)) {
                continue;
            }
            Component component = component_of(cables, found.stage, start, most, seen);
            const std::int32_t outer = above[index(start)];
            if (outer >= 0 && component.members.size() == found.parts[index(outer)].switches) {
                continue;  // the same as the part above it
            }
            for (const Vertex member : component.members) {
                found.smallest[index(member)] = static_cast<std::int32_t>(found.parts.size());
            }
            found.parts.push_back({start, outer, component.members.size(), std::move(component.cables)});
        }
    }
    return found;
}

/// Whether every one of `ends` switches is the end of equally many of the cables, and each is directly in that part.
class EvenEnds {
  public:
    EvenEnds(const Parts& parts, std::int32_t part) : parts_(parts), part_(part) {}

    void add(Vertex end) {
        is_inside_ = is_inside_ && parts_.smallest[index(end)] == part_;
        ends_.push_back(end);
    }
    [[nodiscard]] bool all(std::size_t switches) {
        if (!is_inside_ || switches == 0 || ends_.size() % switches != 0) {
            return false;
        }
        const std::size_t each = ends_.size() / switches;
        std::sort(ends_.begin(), ends_.end());
        for (std::size_t first = 0; first < ends_.size(); first += each) {
            const bool ends_there = first + each == ends_.size() || ends_[first + each] != ends_[first];
            if (ends_[first + each - 1] != ends_[first] || !ends_there) {
                return false;
            }
        }
        return true;
    }

  private:
    const Parts& parts_;
    std::int32_t part_;
    bool is_inside_ = true;
    std::vector<Vertex> ends_;
};

bool is_regular(const Network& fabric, const Parts& found) {
    for (const Link& link : fabric.links()) {
        const std::int32_t lower = found.stage[index(link.lower)];
        const std::int32_t upper = found.stage[index(link.upper)];
        if (lower >= 0 && upper >= 0 && lower + 1 != upper && upper + 1 != lower) {
            return false;
        }
    }
    std::vector<std::size_t> directly(found.parts.size(), 0);
    for (const std::int32_t part : found.smallest) {
        if (part >= 0) {
            ++directly[index(part)];
        }
    }
    for (std::size_t part = 1; part < found.parts.size(); ++part) {
        const std::int32_t above = found.parts[part].above;
        if (above < 0) {
            return false;  // the switches do not hang together
        }
        EvenEnds inner(found, static_cast<std::int32_t>(part));
        EvenEnds outer(found, above);
        for (const std::int32_t number : found.parts[part].cables) {
            const Link& link = fabric.links()[index(number)];
            const bool is_lower_inner = found.stage[index(link.lower)] < found.stage[index(link.upper)];
            inner.add(is_lower_inner ? link.lower : link.upper);
            outer.add(is_lower_inner ? link.upper : link.lower);
        }
        if (!inner.all(directly[part]) || !outer.all(directly[index(above)])) {
            return false;
        }
    }
    return true;
}

/// RegularLoads::modulo_is_even of a regular fabric with so many ranks on each machine.
bool has_even_modulo(const Network& network, const Parts& found, const std::vector<std::int64_t>& ranks) {
    const bool equal_ranks =
        std::adjacent_find(ranks.begin(), ranks.end(), std::not_equal_to<>()) == ranks.end() && !ranks.empty();
    const FabricForwarding& forwarding = network.forwarding();
    if (forwarding.paths != FabricPaths::static_ || !forwarding.table.empty() || !equal_ranks) {
        return false;
    }
    // By stage: the uplinks of each of its switches, all alike.
    std::vector<std::int64_t> uplinks;
    std::vector<Vertex> above;
    for (std::size_t vertex = 0; vertex < found.stage.size(); ++vertex) {
        if (found.stage[vertex] < 0) {
            continue;
        }
        above.clear();
        for (const SwitchCables::Cable& cable : found.cables.of(static_cast<Vertex>(vertex))) {
            if (found.stage[index(cable.end)] > found.stage[vertex]) {
                above.push_back(cable.end);
            }
        }
        const std::size_t stage = index(found.stage[vertex]);
        uplinks.resize(std::max(uplinks.size(), stage + 1), -1);
        const auto count = static_cast<std::int64_t>(above.size());
        uplinks[stage] = uplinks[stage] < 0 ? count : uplinks[stage];
        std::sort(above.begin(), above.end());
        if (uplinks[stage] != count || std::adjacent_find(above.begin(), above.end()) != above.end()) {
            return false;
        }
    }
    // By part: the first and the last machine, how many, and the stage of its topmost switches.
    struct Run {
        Machine first = std::numeric_limits<Machine>::max();
        Machine last = -1;
        std::int64_t count = 0;
        std::int32_t stage = 0;
    };
    std::vector<Run> runs(found.parts.size());
    for (std::size_t vertex = 0; vertex < found.stage.size(); ++vertex) {
        if (const std::int32_t part = found.smallest[vertex]; part >= 0) {
            runs[index(part)].stage = std::max(runs[index(part)].stage, found.stage[vertex]);
        }
    }
    const auto add = [](Run& run, const Run& other) {
        run.first = std::min(run.first, other.first);
        run.last = std::max(run.last, other.last);
        run.count += other.count;
    };
    for (std::size_t machine = 0; machine < network.machines().size(); ++machine) {
        const Vertex vertex = network.machines()[machine].vertex;
        const Vertex leaf = network.other_end(network.links_at(vertex).front(), vertex);
        const auto number = static_cast<Machine>(machine);
        add(runs[index(found.smallest[index(leaf)])], {number, number, 1, 0});
    }
    for (std::size_t part = found.parts.size(); part-- > 1;) {
        add(runs[index(found.parts[part].above)], runs[part]);
    }
    for (std::size_t part = 1; part < runs.size(); ++part) {
        const Run& run = runs[part];
        std::int64_t product = 1;
        for (std::int32_t stage = 0; stage <= run.stage; ++stage) {
            product *= std::max<std::int64_t>(uplinks[index(stage)], 1);
        }
        if (run.count == 0 || run.last - run.first + 1 != run.count || run.first % product != 0 ||
            run.count % product != 0) {
            return false;
        }
    }
    return true;
}

}  // namespace

std::optional<RegularLoads> regular_loads(const Network& network, const Placement& placement) {
    const Parts found = parts_of(network);
    if (!is_regular(network, found)) {
        return std::nullopt;
    }
    std::vector<std::int64_t> ranks(network.machines().size(), 0);
    std::vector<std::int64_t> inside(found.parts.size(), 0);
    std::vector<double> loads(2 * network.links().size(), 0);
    for (const Machine machine : placement.machine_of) {
        ++ranks[index(machine)];
    }
    const std::int64_t all = placement.participants();
    const auto set_load = [&](std::int32_t link, std::int64_t within, std::size_t cables) {
        loads[2 * index(link)] = loads[2 * index(link) + 1] =
            static_cast<double>(within * (all - within)) / static_cast<double>(cables);
    };
    for (std::size_t machine = 0; machine < ranks.size(); ++machine) {
        const Vertex vertex = network.machines()[machine].vertex;
        const std::vector<std::int32_t>& links = network.links_at(vertex);
        const std::int32_t part =
            links.size() == 1 ? found.smallest[index(network.other_end(links.front(), vertex))] : -1;
        if (part < 0) {
            return std::nullopt;
        }
        set_load(links.front(), ranks[machine], 1);
        inside[index(part)] += ranks[machine];
    }
    for (std::size_t part = found.parts.size(); part-- > 1;) {
        const Part& here = found.parts[part];
        inside[index(here.above)] += inside[part];
        for (const std::int32_t link : here.cables) {
            set_load(link, inside[part], here.cables.size());
        }
    }
    return RegularLoads{std::move(loads), has_even_modulo(network, found, ranks)};
}

std::vector<Machine> depth_first_by_cuts(const Network& fabric) {
    const Parts found = parts_of(fabric);
    std::vector<std::vector<Machine>> machines_of(found.parts.size());
    for (std::size_t machine = 0; machine < fabric.machines().size(); ++machine) {
        const Vertex vertex = fabric.machines()[machine].vertex;
        for (const std::int32_t link : fabric.links_at(vertex)) {
            if (const std::int32_t part = found.smallest[index(fabric.other_end(link, vertex))]; part >= 0) {
                machines_of[index(part)].push_back(static_cast<Machine>(machine));
                break;
            }
        }
    }
    std::vector<std::vector<std::int32_t>> inside(found.parts.size());
    std::vector<std::int32_t> to_visit;
    for (std::size_t part = found.parts.size(); part-- > 0;) {
        const std::int32_t above = found.parts[part].above;
        (above < 0 ? to_visit : inside[index(above)]).push_back(static_cast<std::int32_t>(part));
    }
    std::vector<Machine> order;
    order.reserve(fabric.machines().size());
    while (!to_visit.empty()) {
        const std::size_t part = index(to_visit.back());
        to_visit.pop_back();
        order.insert(order.end(), machines_of[part].begin(), machines_of[part].end());
        to_visit.insert(to_visit.end(), inside[part].begin(), inside[part].end());  // the first of them at the end
    }
    return order;
}

Network tree_of_cuts(const Network& fabric) {
    const Parts found = parts_of(fabric);
    std::vector<NetworkVertex> vertices;
    std::vector<Link> links;
    for (std::size_t part = 0; part < found.parts.size(); ++part) {
        const Part& here = found.parts[part];
        vertices.push_back({fmt::format("{}~{}", fabric.vertices()[index(here.first)].name, part), true});
        if (here.above < 0) {
            continue;
        }
        Link bundle{static_cast<Vertex>(part),
                    here.above,
                    0,
                    0,
                    0,
                    std::numeric_limits<std::int64_t>::max(),
                    std::numeric_limits<std::int64_t>::max()};
        for (const std::int32_t number : here.cables) {
            const Link& link = fabric.links()[index(number)];
            const bool is_lower_inner = found.stage[index(link.lower)] <= found.stage[index(link.upper)];
            bundle.bits_per_second += link.bits_per_second;
            bundle.cables += link.cables;
            bundle.lower_buffer_bytes =
                std::min(bundle.lower_buffer_bytes, is_lower_inner ? link.lower_buffer_bytes : link.upper_buffer_bytes);
            bundle.upper_buffer_bytes =
                std::min(bundle.upper_buffer_bytes, is_lower_inner ? link.upper_buffer_bytes : link.lower_buffer_bytes);
        }
        links.push_back(bundle);
    }
    std::vector<NetworkMachine> machines;
    for (const NetworkMachine& machine : fabric.machines()) {
        const auto vertex = static_cast<Vertex>(vertices.size());
        vertices.push_back({fabric.vertices()[index(machine.vertex)].name, false});
        for (const std::int32_t number : fabric.links_at(machine.vertex)) {
            const Link& link = fabric.links()[index(number)];
            const bool is_lower = link.lower == machine.vertex;
            links.push_back({vertex, found.smallest[index(fabric.other_end(number, machine.vertex))],
                             link.bits_per_second, link.latency_seconds, link.cables,
                             is_lower ? link.lower_buffer_bytes : link.upper_buffer_bytes,
                             is_lower ? link.upper_buffer_bytes : link.lower_buffer_bytes});
        }
        machines.push_back({vertex, machine.ranks});
    }
    return {NetworkKind::tree, std::move(vertices), std::move(links), std::move(machines), fabric.mtu_bytes()};
}

}  // namespace aapc
