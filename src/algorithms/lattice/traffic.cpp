#include "algorithms/lattice/traffic.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "aapc/topology/fabric.hpp"
#include "aapc/topology/torus.hpp"

namespace aapc::lattice {

namespace {

constexpr std::int64_t largest_speed = std::int64_t{1} << 24U;

/// Routes in a tree, from each vertex' way up to vertex 0.
class TreeRoutes {
  public:
    explicit TreeRoutes(const Network& network) : up_(network.vertices().size()) {
        std::vector<Vertex> order{0};
        up_[0].depth = 0;
        for (std::size_t next = 0; next < order.size(); ++next) {
            const Vertex vertex = order[next];
            for (const std::int32_t link : network.links_at(vertex)) {
                const Vertex child = network.other_end(link, vertex);
                if (up_[static_cast<std::size_t>(child)].depth < 0) {
                    const bool is_lower = network.links()[static_cast<std::size_t>(link)].lower == child;
                    up_[static_cast<std::size_t>(child)] = {vertex, 2 * link + (is_lower ? 0 : 1),
                                                            at(vertex).depth + 1};
                    order.push_back(child);
                }
            }
        }
    }

    void append(Vertex from, Vertex to, std::vector<DirectedLink>& route) {
        down_.clear();
        while (from != to) {
            if (at(from).depth >= at(to).depth) {
                route.push_back(at(from).link);
                from = at(from).parent;
            } else {
                down_.push_back(at(to).link ^ 1);
                to = at(to).parent;
            }
        }
        route.insert(route.end(), down_.rbegin(), down_.rend());
    }

  private:
    struct Up {
        Vertex parent = -1;
        DirectedLink link = -1;  ///< to the parent
        std::int32_t depth = -1;
    };
    [[nodiscard]] const Up& at(Vertex vertex) const { return up_[static_cast<std::size_t>(vertex)]; }

    std::vector<Up> up_;
    std::vector<DirectedLink> down_;
};

/// Appends the routes between all of `machines`, one after the other; false if there are too many hops.
template <class AppendRoute>
bool write_down(const std::vector<Machine>& machines, std::size_t most_hops, AppendRoute append,
                std::vector<DirectedLink>& links, std::vector<std::size_t>& begin) {
    begin.reserve(machines.size() * machines.size() + 1);
    begin.push_back(0);
    for (const Machine from : machines) {
        for (const Machine to : machines) {
            append(from, to, links);
            begin.push_back(links.size());
        }
        if (links.size() > most_hops) {
            return false;
        }
    }
    return true;
}

}  // namespace

std::vector<std::int64_t> whole_speeds(const Network& network, const std::vector<std::int64_t>& loads) {
    std::vector<std::int64_t> speeds(network.links().size(), 1);
    std::int64_t measure = 0;
    std::int64_t largest = 1;
    for (std::size_t link = 0; link < speeds.size(); ++link) {
        if (loads[link] == 0) {
            continue;
        }
        // Rounded once, from one multiplication: the same on every machine.
        const double thousandths = std::round(network.links()[link].bits_per_second * 1000.0);
        if (!(thousandths >= 1)) {
            return std::vector<std::int64_t>(speeds.size(), 1);
        }
        speeds[link] = static_cast<std::int64_t>(std::min(thousandths, 9e18));
        measure = std::gcd(measure, speeds[link]);
        largest = std::max(largest, speeds[link]);
    }
    unsigned shift = 0;
    while (measure > 0 && (largest / measure) >> shift > largest_speed) {
        ++shift;
    }
    for (std::size_t link = 0; link < speeds.size(); ++link) {
        if (loads[link] > 0) {
            speeds[link] = std::max<std::int64_t>((speeds[link] / measure) >> shift, 1);
        }
    }
    return speeds;
}

void Traffic::number_machines(const Placement& placement, const Positions& positions, std::vector<Machine>& machines) {
    for (const Rank rank : positions.rank_at) {
        const Machine machine = placement.machine_of[static_cast<std::size_t>(rank)];
        if (machines.empty() || machines.back() != machine) {
            machines.push_back(machine);
        }
        machine_at_.push_back(static_cast<std::int32_t>(machines.size()) - 1);
    }
    machines_ = static_cast<std::int32_t>(machines.size());
}

std::optional<Traffic> Traffic::find(const Network& network, const Placement& placement, const Positions& positions,
                                     std::int64_t most_hops) {
    Traffic traffic;
    std::vector<Machine> machines;
    traffic.number_machines(placement, positions, machines);
    const auto most = static_cast<std::size_t>(most_hops);
    if (machines.size() > most / (machines.size() + 1)) {
        return std::nullopt;
    }
    std::vector<DirectedLink> links;
    bool complete = false;
    if (is_tree(network.kind())) {
        TreeRoutes routes(network);
        const auto vertex_of = [&](Machine machine) {
            return network.machines()[static_cast<std::size_t>(machine)].vertex;
        };
        complete = write_down(
            machines, most,
            [&](Machine from, Machine to, std::vector<DirectedLink>& out) {
                routes.append(vertex_of(from), vertex_of(to), out);
            },
            links, traffic.ways_.begin);
    } else if (network.kind() == NetworkKind::fabric) {
        if (const Expected<FabricRoutes> routes = FabricRoutes::find(network)) {
            complete = write_down(
                machines, most,
                [&](Machine from, Machine to, std::vector<DirectedLink>& out) { routes->append(from, to, 0, out); },
                links, traffic.ways_.begin);
        }
    } else if (const std::optional<TorusWiring> wiring = TorusWiring::find(network)) {
        complete = write_down(
            machines, most,
            [&](Machine from, Machine to, std::vector<DirectedLink>& out) { wiring->append_route(from, to, out); },
            links, traffic.ways_.begin);
    }
    if (!complete) {
        return std::nullopt;
    }
    traffic.ways_.hops.reserve(links.size());
    for (const DirectedLink link : links) {
        traffic.ways_.hops.push_back({link, 1});
    }
    traffic.count(network);
    return traffic;
}

/// Numbers the channels densely and finds what depends on speeds.
void Traffic::count(const Network& network) {
    std::vector<std::int64_t> ranks_on(static_cast<std::size_t>(machines_), 0);
    for (const std::int32_t machine : machine_at_) {
        ++ranks_on[static_cast<std::size_t>(machine)];
    }
    std::vector<std::int64_t> load_of(2 * network.links().size(), 0);
    for (std::size_t pair = 0; pair + 1 < ways_.begin.size(); ++pair) {
        const std::int64_t messages =
            ranks_on[pair / static_cast<std::size_t>(machines_)] * ranks_on[pair % static_cast<std::size_t>(machines_)];
        for (std::size_t hop = ways_.begin[pair]; hop < ways_.begin[pair + 1]; ++hop) {
            load_of[static_cast<std::size_t>(ways_.hops[hop].channel)] += messages;
            hops_ += messages;
        }
    }
    std::vector<std::int64_t> either_way(network.links().size());
    for (std::size_t link = 0; link < either_way.size(); ++link) {
        either_way[link] = load_of[2 * link] + load_of[2 * link + 1];
    }
    const std::vector<std::int64_t> speed_of = whole_speeds(network, either_way);
    std::vector<std::int32_t> number(load_of.size(), -1);
    for (std::size_t link = 0; link < load_of.size(); ++link) {
        if (load_of[link] > 0) {
            number[link] = static_cast<std::int32_t>(links_.size());
            links_.push_back(static_cast<DirectedLink>(link));
            loads_.push_back(load_of[link]);
            speeds_.push_back(speed_of[link / 2]);
            busiest_ = std::max(busiest_, BusyTime{loads_.back(), speeds_.back()});
        }
    }
    for (std::size_t pair = 0; pair + 1 < ways_.begin.size(); ++pair) {
        std::int64_t slowest = largest_speed;
        for (std::size_t hop = ways_.begin[pair]; hop < ways_.begin[pair + 1]; ++hop) {
            Hop& here = ways_.hops[hop];
            here.channel = number[static_cast<std::size_t>(here.channel)];
            // A message has one cable of a bundle.
            const auto channel = static_cast<std::size_t>(here.channel);
            const Link& link = network.links()[static_cast<std::size_t>(links_[channel]) / 2];
            const std::int64_t own = std::max<std::int64_t>(speeds_[channel] / std::max(link.cables, 1), 1);
            here.inflow = static_cast<std::int32_t>(hop == ways_.begin[pair] ? own : slowest);
            slowest = std::min(slowest, own);
        }
    }
}

Ways Traffic::ways_on(const std::vector<bool>& wanted) const {
    Ways part;
    part.begin.reserve(ways_.begin.size());
    part.begin.push_back(0);
    for (std::size_t pair = 0; pair + 1 < ways_.begin.size(); ++pair) {
        for (const Hop& hop : ways_.of(pair)) {
            if (wanted[static_cast<std::size_t>(hop.channel)]) {
                part.hops.push_back(hop);
            }
        }
        part.begin.push_back(part.hops.size());
    }
    return part;
}

}  // namespace aapc::lattice
