#include "aapc/topology/fabric.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "topology/fabric_links.hpp"

namespace aapc {

using fabrics::head;
using fabrics::index;
using fabrics::leaving;

namespace {

/// Divisors of a machine's number beyond this make no difference.
constexpr std::int64_t largest_stride = std::int64_t{1} << 40U;

std::uint64_t mixed(std::uint64_t value) {  // the finaliser of splitmix64
    value += 0x9e3779b97f4a7c15;
    value = (value ^ (value >> 30U)) * 0xbf58476d1ce4e5b9;
    value = (value ^ (value >> 27U)) * 0x94d049bb133111eb;
    return value ^ (value >> 31U);
}

}  // namespace

std::uint64_t connection_key(std::uint64_t draw, std::int32_t from, std::int32_t to) {
    const auto ends = (std::uint64_t{static_cast<std::uint32_t>(from)} << 32U) | static_cast<std::uint32_t>(to);
    return mixed(mixed(draw) ^ mixed(ends));
}

Expected<FabricRoutes> FabricRoutes::find(const Network& network) {
    FabricRoutes routes(network);
    if (auto mistake = routes.find_leaves()) {
        return failure(*mistake);
    }
    if (auto mistake = routes.find_gap()) {
        return failure(*mistake);
    }
    routes.find_distances();
    routes.find_stages();
    if (auto mistake = routes.read_tables()) {
        return failure(*mistake);
    }
    return routes;
}

std::optional<Diagnostic> FabricRoutes::mistake_in(const Network& network) {
    if (!network.forwarding().table.empty()) {
        const Expected<FabricRoutes> routes = find(network);
        return routes ? std::nullopt : std::optional(routes.error());
    }
    FabricRoutes routes(network);
    auto mistake = routes.find_leaves();
    return mistake ? mistake : routes.find_gap();
}

std::optional<Diagnostic> FabricRoutes::find_leaves() {
    std::vector<std::int32_t> leaf_at(network_->vertices().size(), -1);
    for (const NetworkMachine& machine : network_->machines()) {
        const std::vector<std::int32_t>& links = network_->links_at(machine.vertex);
        const Vertex at = links.size() == 1 ? network_->other_end(links.front(), machine.vertex) : -1;
        if (at < 0 || !network_->vertices()[index(at)].is_switch) {
            return Diagnostic{.problem = fmt::format("machine '{}' has {} links; in a fabric it has one, to a switch",
                                                     network_->vertices()[index(machine.vertex)].name, links.size()),
                              .advice = "plug every machine into one switch"};
        }
        up_from_.push_back(leaving(*network_, links.front(), machine.vertex));
        leaf_of_.push_back(at);
        leaf_at[index(at)] = 0;
    }
    for (std::size_t vertex = 0; vertex < leaf_at.size(); ++vertex) {
        if (leaf_at[vertex] == 0) {
            leaf_at[vertex] = static_cast<std::int32_t>(leaves_.size());
            leaves_.push_back(static_cast<Vertex>(vertex));
        }
    }
    for (std::int32_t& leaf : leaf_of_) {
        leaf = leaf_at[index(leaf)];
    }
    return std::nullopt;
}

/// By vertex: how many links between switches it is away; -1 if none lead there.
std::vector<std::int16_t> FabricRoutes::distances_from(Vertex start) const {
    std::vector<std::int16_t> distance(network_->vertices().size(), std::int16_t{-1});
    std::vector<Vertex> reached{start};
    distance[index(start)] = 0;
    for (std::size_t next = 0; next < reached.size(); ++next) {
        for (const std::int32_t link : network_->links_at(reached[next])) {
            const Vertex end = network_->other_end(link, reached[next]);
            if (distance[index(end)] < 0 && network_->vertices()[index(end)].is_switch) {
                distance[index(end)] = static_cast<std::int16_t>(distance[index(reached[next])] + 1);
                reached.push_back(end);
            }
        }
    }
    return distance;
}

std::optional<Diagnostic> FabricRoutes::find_gap() const {
    const std::vector<std::int16_t> distance =
        leaves_.empty() ? std::vector<std::int16_t>() : distances_from(leaves_.front());
    for (const Vertex leaf : leaves_) {
        if (distance[index(leaf)] < 0) {
            return Diagnostic{.problem = fmt::format("no cables lead from switch '{}' to switch '{}'",
                                                     network_->vertices()[index(leaf)].name,
                                                     network_->vertices()[index(leaves_.front())].name),
                              .advice = "name what connects them among their uplinks"};
        }
    }
    return std::nullopt;
}

void FabricRoutes::find_distances() {
    for (const Vertex leaf : leaves_) {
        distance_.push_back(distances_from(leaf));
    }
}

void FabricRoutes::find_stages() {
    stage_.assign(network_->vertices().size(), -1);
    std::vector<Vertex> reached = leaves_;
    for (const Vertex leaf : leaves_) {
        stage_[index(leaf)] = 0;
    }
    for (std::size_t next = 0; next < reached.size(); ++next) {
        for (const std::int32_t link : network_->links_at(reached[next])) {
            const Vertex end = network_->other_end(link, reached[next]);
            if (stage_[index(end)] < 0 && network_->vertices()[index(end)].is_switch) {
                stage_[index(end)] = stage_[index(reached[next])] + 1;
                reached.push_back(end);
            }
        }
    }
    uppers_.assign(stage_.size(), 0);
    std::vector<std::int64_t> most_uplinks(reached.empty() ? 1 : index(stage_[index(reached.back())]) + 1, 1);
    std::vector<Vertex> above;
    for (const Vertex vertex : reached) {
        above.clear();
        for (const std::int32_t link : network_->links_at(vertex)) {
            const Vertex end = network_->other_end(link, vertex);
            if (stage_[index(end)] > stage_[index(vertex)]) {
                above.push_back(end);
            }
        }
        std::int64_t& most = most_uplinks[index(stage_[index(vertex)])];
        most = std::max(most, static_cast<std::int64_t>(above.size()));
        std::sort(above.begin(), above.end());
        uppers_[index(vertex)] = static_cast<std::int32_t>(std::unique(above.begin(), above.end()) - above.begin());
    }
    stride_.assign(most_uplinks.size() + 1, 1);
    for (std::size_t stage = 0; stage < most_uplinks.size(); ++stage) {
        stride_[stage + 1] = std::min(stride_[stage] * most_uplinks[stage], largest_stride);
    }
}

std::optional<Diagnostic> FabricRoutes::read_tables() {
    const FabricForwarding& forwarding = network_->forwarding();
    if (forwarding.paths != FabricPaths::static_ || forwarding.table.empty()) {
        return std::nullopt;
    }
    table_.resize(network_->vertices().size());
    for (const TableEntry& entry : forwarding.table) {
        std::vector<DirectedLink>& table = table_[index(entry.at)];
        table.resize(network_->machines().size(), -1);
        table[index(entry.to)] = leaving(*network_, entry.link, entry.at);
    }
    std::vector<DirectedLink> choices_here;
    for (Machine to = 0; to < static_cast<Machine>(network_->machines().size()); ++to) {
        const Vertex target = leaves_[index(leaf_of(to))];
        std::vector<std::int32_t> walk_of(network_->vertices().size(), -1);
        for (std::size_t start = 0; start < leaves_.size(); ++start) {
            Vertex at = leaves_[start];
            while (at != target && walk_of[index(at)] < 0) {
                walk_of[index(at)] = static_cast<std::int32_t>(start);
                choices(at, leaf_of(to), choices_here);
                at = head(*network_, chosen(at, to, choices_here));
            }
            if (at != target && walk_of[index(at)] == static_cast<std::int32_t>(start)) {
                return Diagnostic{
                    .problem = fmt::format("the tables send what is for machine '{}' in a circle through switch '{}'",
                                           network_->machine_name(to), network_->vertices()[index(at)].name),
                    .advice = "correct the routes of the switches on it"};
            }
        }
    }
    return std::nullopt;
}

void FabricRoutes::choices(Vertex at, std::int32_t leaf, std::vector<DirectedLink>& choices) const {
    choices.clear();
    const std::vector<std::int16_t>& distance = distance_[index(leaf)];
    for (const std::int32_t link : network_->links_at(at)) {
        const Vertex end = network_->other_end(link, at);
        if (distance[index(end)] >= 0 && distance[index(end)] < distance[index(at)]) {
            choices.push_back(leaving(*network_, link, at));
        }
    }
}

DirectedLink FabricRoutes::chosen(Vertex at, Machine to, std::span<const DirectedLink> choices) const {
    if (!table_.empty() && !table_[index(at)].empty() && table_[index(at)][index(to)] >= 0) {
        return table_[index(at)][index(to)];
    }
    const Vertex end = head(*network_, choices.front());
    const bool is_down = stage_[index(end)] < stage_[index(at)];
    std::int64_t number = to / stride_[index(stage_[index(is_down ? end : at)])];
    if (is_down) {
        number /= std::max(uppers_[index(end)], 1);
    }
    return choices[static_cast<std::size_t>(number % static_cast<std::int64_t>(choices.size()))];
}

void FabricRoutes::append(Machine from, Machine to, std::uint64_t key, std::vector<DirectedLink>& route) const {
    if (from == to) {
        return;
    }
    route.push_back(up_from(from));
    const std::int32_t leaf = leaf_of(to);
    Vertex at = leaves_[index(leaf_of(from))];
    std::vector<DirectedLink> here;
    while (at != leaves_[index(leaf)]) {
        choices(at, leaf, here);
        const DirectedLink link = network_->forwarding().paths == FabricPaths::static_
                                      ? chosen(at, to, here)
                                      : here[mixed(key ^ static_cast<std::uint64_t>(at)) % here.size()];
        route.push_back(link);
        at = head(*network_, link);
    }
    route.push_back(up_from(to) ^ 1);
}

Network fabric_of_cables(const Network& tree) {
    std::vector<Link> links;
    for (const Link& link : tree.links()) {
        Link cable = link;
        cable.bits_per_second = link.flow_bits_per_second();
        cable.cables = 1;
        links.insert(links.end(), index(link.cables), cable);
    }
    return {NetworkKind::fabric, tree.vertices(),  std::move(links),
            tree.machines(),     tree.mtu_bytes(), FabricForwarding{FabricPaths::hashed, {}}};
}

}  // namespace aapc
