#include "check/fabric_ways.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <utility>

namespace aapc::check {

namespace {

std::size_t at_index(std::int32_t value) { return static_cast<std::size_t>(value); }

}  // namespace

Expected<FabricWays, Violation> FabricWays::find(const Network& network) {
    FabricWays ways(network);
    for (const NetworkMachine& machine : network.machines()) {
        const std::vector<std::int32_t>& links = network.links_at(machine.vertex);
        const Vertex at = links.size() == 1 ? network.other_end(links.front(), machine.vertex) : -1;
        if (at < 0 || !network.vertices()[at_index(at)].is_switch) {
            return tl::unexpected(
                Violation{fmt::format("The network is not a fabric: machine {} has not one link, to a "
                                      "switch.",
                                      network.vertices()[at_index(machine.vertex)].name)});
        }
        ways.switch_of_.push_back(at);
        ways.cable_of_.push_back(links.front());
    }
    ways.hops_.resize(network.vertices().size());
    if (!ways.switch_of_.empty()) {
        const std::vector<std::int32_t>& hops = ways.hops_to(ways.switch_of_.front());
        if (std::any_of(ways.switch_of_.begin(), ways.switch_of_.end(),
                        [&](Vertex at) { return hops[at_index(at)] < 0; })) {
            return tl::unexpected(Violation{"The network is not a fabric: its switches do not hang together."});
        }
    }
    ways.stage_ = ways.hops_from(ways.switch_of_);
    ways.count_uplinks();
    for (const TableEntry& entry : network.forwarding().table) {
        ways.table_.resize(network.vertices().size());
        ways.table_[at_index(entry.at)].resize(network.machines().size(), -1);
        ways.table_[at_index(entry.at)][at_index(entry.to)] = entry.link;
    }
    if (std::optional<Violation> circle = ways.find_circle()) {
        return tl::unexpected(std::move(*circle));
    }
    return ways;
}

/// A walk from every switch with machines to every machine needs fewer steps than there are switches.
std::optional<Violation> FabricWays::find_circle() {
    for (Machine to = 0; !table_.empty() && to < static_cast<Machine>(switch_of_.size()); ++to) {
        const Vertex target = switch_of_[at_index(to)];
        const std::vector<std::int32_t>& hops = hops_to(target);
        std::vector<bool> arrives(hops.size(), false);
        arrives[at_index(target)] = true;
        for (const Vertex start : switch_of_) {
            std::vector<Vertex> walk;
            for (Vertex at = start; !arrives[at_index(at)]; at = network_->other_end(by_table(at, to, hops), at)) {
                walk.push_back(at);
                if (walk.size() > hops.size()) {
                    return Violation{fmt::format("The tables of the fabric send what is for {} in a circle.",
                                                 network_->machine_name(to))};
                }
            }
            for (const Vertex at : walk) {
                arrives[at_index(at)] = true;
            }
        }
    }
    return std::nullopt;
}

/// Over switches alone; -1 for what is not reached.
std::vector<std::int32_t> FabricWays::hops_from(const std::vector<Vertex>& starts) const {
    std::vector<std::int32_t> hops(network_->vertices().size(), -1);
    std::vector<Vertex> ring = starts;
    for (std::int32_t number = 0; !ring.empty(); ++number) {
        std::vector<Vertex> next;
        for (const Vertex vertex : ring) {
            if (hops[at_index(vertex)] >= 0) {
                continue;
            }
            hops[at_index(vertex)] = number;
            for (const std::int32_t link : network_->links_at(vertex)) {
                const Vertex end = network_->other_end(link, vertex);
                if (network_->vertices()[at_index(end)].is_switch && hops[at_index(end)] < 0) {
                    next.push_back(end);
                }
            }
        }
        ring = std::move(next);
    }
    return hops;
}

const std::vector<std::int32_t>& FabricWays::hops_to(Vertex target) {
    std::vector<std::int32_t>& hops = hops_[at_index(target)];
    if (hops.empty()) {
        hops = hops_from({target});
    }
    return hops;
}

void FabricWays::count_uplinks() {
    std::vector<std::int64_t> most;
    switches_above_.assign(stage_.size(), 0);
    for (std::size_t vertex = 0; vertex < stage_.size(); ++vertex) {
        if (stage_[vertex] < 0) {
            continue;
        }
        std::int64_t uplinks = 0;
        std::set<Vertex> above;
        for (const std::int32_t link : network_->links_at(static_cast<Vertex>(vertex))) {
            const Vertex end = network_->other_end(link, static_cast<Vertex>(vertex));
            if (stage_[at_index(end)] == stage_[vertex] + 1) {
                ++uplinks;
                above.insert(end);
            }
        }
        switches_above_[vertex] = static_cast<std::int32_t>(above.size());
        most.resize(std::max(most.size(), at_index(stage_[vertex]) + 1), 1);
        most[at_index(stage_[vertex])] = std::max(most[at_index(stage_[vertex])], uplinks);
    }
    constexpr std::int64_t enough = std::int64_t{1} << 40U;  // more than machines
    product_.assign(1, 1);
    for (const std::int64_t uplinks : most) {
        product_.push_back(std::min(product_.back() * uplinks, enough));
    }
}

std::int32_t FabricWays::by_modulo(Vertex at, Machine to, const std::vector<std::int32_t>& cables) const {
    const Vertex next = network_->other_end(cables.front(), at);
    const auto count = static_cast<std::int64_t>(cables.size());
    const bool downwards = stage_[at_index(next)] < stage_[at_index(at)];
    if (!downwards) {
        return cables[static_cast<std::size_t>(to / product_[at_index(stage_[at_index(at)])] % count)];
    }
    const std::int64_t uplink_number = to / product_[at_index(stage_[at_index(next)])];
    return cables[static_cast<std::size_t>(uplink_number / switches_above_[at_index(next)] % count)];
}

std::int64_t FabricWays::leaving(Vertex at, std::int32_t link) const {
    return 2 * std::int64_t{link} + (network_->links()[at_index(link)].lower == at ? 0 : 1);
}

/// The cables that a message at a switch may take, into `cables_`.
void FabricWays::find_cables(Vertex at, const std::vector<std::int32_t>& hops) {
    cables_.clear();
    for (const std::int32_t link : network_->links_at(at)) {
        if (hops[at_index(network_->other_end(link, at))] == hops[at_index(at)] - 1) {
            cables_.push_back(link);
        }
    }
}

std::int32_t FabricWays::by_table(Vertex at, Machine to, const std::vector<std::int32_t>& hops) {
    if (!table_.empty() && !table_[at_index(at)].empty() && table_[at_index(at)][at_index(to)] >= 0) {
        return table_[at_index(at)][at_index(to)];
    }
    find_cables(at, hops);
    return by_modulo(at, to, cables_);
}

void FabricWays::append(Machine from, Machine to, std::uint64_t draw, std::uint64_t connection,
                        std::vector<std::int64_t>& links) {
    if (from == to) {
        return;
    }
    const Vertex target = switch_of_[at_index(to)];
    const std::vector<std::int32_t>& hops = hops_to(target);
    links.push_back(leaving(network_->machines()[at_index(from)].vertex, cable_of_[at_index(from)]));
    const bool is_static = network_->forwarding().paths == FabricPaths::static_;
    std::minstd_rand0 any(0);
    if (!is_static) {
        std::seed_seq seed{draw, connection, connection >> 32U};
        any.seed(seed);
    }
    for (Vertex at = switch_of_[at_index(from)]; at != target;) {
        std::int32_t link = -1;
        if (is_static) {
            link = by_table(at, to, hops);
        } else {
            find_cables(at, hops);
            any.discard(3);
            link = cables_[any() / 7 % cables_.size()];
        }
        links.push_back(leaving(at, link));
        at = network_->other_end(link, at);
    }
    links.push_back(leaving(target, cable_of_[at_index(to)]));
}

void FabricWays::spread(Machine from, Machine to, std::vector<Share>& shares) {
    shares.clear();
    if (from == to) {
        return;
    }
    const Vertex target = switch_of_[at_index(to)];
    const std::vector<std::int32_t>& hops = hops_to(target);
    shares.push_back({leaving(network_->machines()[at_index(from)].vertex, cable_of_[at_index(from)]), 1});
    std::map<Vertex, double> here{{switch_of_[at_index(from)], 1.0}};  // all as many hops away
    while (here.begin()->first != target) {
        std::map<Vertex, double> next;
        for (const auto& [at, part] : here) {
            find_cables(at, hops);
            for (const std::int32_t link : cables_) {
                shares.push_back({leaving(at, link), part / static_cast<double>(cables_.size())});
                next[network_->other_end(link, at)] += shares.back().part;
            }
        }
        here = std::move(next);
    }
    shares.push_back({leaving(target, cable_of_[at_index(to)]), 1});
}

}  // namespace aapc::check
