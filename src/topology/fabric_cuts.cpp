// Parts of a fabric that hang together stage by stage: a tree of them, and the loads of regular fabrics.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>
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

struct Parts {
    std::vector<std::int32_t>
        stage;                ///< by vertex: links from the nearest leaf; -1 for machines and what is not reached
    std::vector<Part> parts;  ///< the topmost first, parts before those inside them
    std::vector<std::int32_t> smallest;  ///< by vertex: the smallest part that has it; -1
};

/// Leaves first, in order of vertex, then by stage. Fills in `stage`.
std::vector<Vertex> by_stage(const Network& fabric, std::vector<std::int32_t>& stage) {
    stage.assign(fabric.vertices().size(), -1);
    std::vector<Vertex> reached;
    for (const NetworkMachine& machine : fabric.machines()) {
        for (const std::int32_t link : fabric.links_at(machine.vertex)) {
            const Vertex at = fabric.other_end(link, machine.vertex);
            if (stage[index(at)] < 0 && fabric.vertices()[index(at)].is_switch) {
                stage[index(at)] = 0;
                reached.push_back(at);
            }
        }
    }
    std::sort(reached.begin(), reached.end());
    for (std::size_t next = 0; next < reached.size(); ++next) {
        for (const std::int32_t link : fabric.links_at(reached[next])) {
            const Vertex end = fabric.other_end(link, reached[next]);
            if (stage[index(end)] < 0 && fabric.vertices()[index(end)].is_switch) {
                stage[index(end)] = stage[index(reached[next])] + 1;
                reached.push_back(end);
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

Component component_of(const Network& fabric, const std::vector<std::int32_t>& stage, Vertex start, std::int32_t most,
                       std::vector<bool>& seen) {
    Component component{{start}, {}};
    seen[index(start)] = true;
    for (std::size_t next = 0; next < component.members.size(); ++next) {
        const Vertex at = component.members[next];
        for (const std::int32_t link : fabric.links_at(at)) {
            const Vertex end = fabric.other_end(link, at);
            if (stage[index(end)] < 0) {
                continue;  // a machine
            }
            if (stage[index(end)] > most) {
                component.cables.push_back(link);
            } else if (!seen[index(end)]) {
                seen[index(end)] = true;
                component.members.push_back(end);
            }
        }
    }
    return component;
}

Parts parts_of(const Network& fabric) {
    Parts found;
    const std::vector<Vertex> reached = by_stage(fabric, found.stage);
    found.smallest.assign(fabric.vertices().size(), -1);
    const std::int32_t top = reached.empty() ? -1 : found.stage[index(reached.back())];
    for (std::int32_t most = std::max(top, 0); most >= -1; --most) {
        const std::vector<std::int32_t> above = found.smallest;
        std::vector<bool> seen(fabric.vertices().size(), false);
        for (const Vertex start : reached) {
            if (seen[index(start)] || found.stage[index(start)] > std::max(most, 0)) {
                continue;
            }
            Component component = component_of(fabric, found.stage, start, most, seen);
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

}  // namespace

std::optional<std::vector<double>> regular_even_loads(const Network& network, const Placement& placement) {
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
        const std::int32_t link = network.links_at(vertex).front();
        set_load(link, ranks[machine], 1);
        inside[index(found.smallest[index(network.other_end(link, vertex))])] += ranks[machine];
    }
    for (std::size_t part = found.parts.size(); part-- > 1;) {
        const Part& here = found.parts[part];
        inside[index(here.above)] += inside[part];
        for (const std::int32_t link : here.cables) {
            set_load(link, inside[part], here.cables.size());
        }
    }
    return loads;
}

bool modulo_is_even(const Network& network, const Placement& placement) {
    const Parts found = parts_of(network);
    std::vector<std::int64_t> ranks(network.machines().size(), 0);
    for (const Machine machine : placement.machine_of) {
        ++ranks[index(machine)];
    }
    const bool equal_ranks =
        std::adjacent_find(ranks.begin(), ranks.end(), std::not_equal_to<>()) == ranks.end() && !ranks.empty();
    if (!network.forwarding().table.empty() || !equal_ranks || !is_regular(network, found)) {
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
        for (const std::int32_t link : network.links_at(static_cast<Vertex>(vertex))) {
            const Vertex end = network.other_end(link, static_cast<Vertex>(vertex));
            if (found.stage[index(end)] > found.stage[vertex]) {
                above.push_back(end);
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
