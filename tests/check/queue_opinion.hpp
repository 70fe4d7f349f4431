/// @file
/// The longest queue once more, slow and from its definition in another form: what a link holds at a moment is the
/// most, over all earlier moments, of what flowed in since then beyond what it could serve.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "aapc/check/queues.hpp"
#include "aapc/topology/torus.hpp"
#include "check/second_opinion.hpp"

namespace aapc::test {

/// A message, or a segment of one, by the fraction of the cycle at which it starts.
struct Started {
    Rank from;
    Rank to;
    double at;
    double bytes = 1;
};

struct Inflow {
    double begin;  ///< fraction of the cycle
    double end;
    double rate;  ///< bytes a cycle
};

/// A route as links in order, by the names of their ends, with the bytes a second of one cable and of all.
struct Hop {
    std::pair<std::string, std::string> name;
    double message_speed;
    double link_speed;
};

/// The only path of a tree; in a torus the route of the network's own part, which the checker does not know.
inline std::vector<Hop> hops(const Network& network, const Placement& placement, Rank from, Rank to) {
    const auto machine = [&](Rank rank) { return placement.machine_of[static_cast<std::size_t>(rank)]; };
    const auto vertex = [&](Rank rank) { return network.machines()[static_cast<std::size_t>(machine(rank))].vertex; };
    std::vector<Vertex> path;
    if (const auto wiring = TorusWiring::find(network); network.kind() == NetworkKind::torus && wiring) {
        std::vector<DirectedLink> route;
        wiring->append_route(machine(from), machine(to), route);
        path.push_back(vertex(from));
        for (const DirectedLink link : route) {
            path.push_back(network.other_end(link / 2, path.back()));
        }
    } else {
        find_path(network, vertex(from), vertex(to), path);
    }
    std::vector<Hop> route;
    for (std::size_t step = 1; step < path.size(); ++step) {
        for (const Link& link : network.links()) {
            if (std::minmax(link.lower, link.upper) == std::minmax(path[step - 1], path[step])) {
                route.push_back({{network.vertices()[static_cast<std::size_t>(path[step - 1])].name,
                                  network.vertices()[static_cast<std::size_t>(path[step])].name},
                                 link.bits_per_second / link.cables / 8,
                                 link.bits_per_second / 8});
            }
        }
    }
    return route;
}

using Queues = std::map<std::pair<std::string, std::string>, double>;

/// What flows into a link between two moments, which may lie in any cycles.
inline double inflow_between(const std::vector<Inflow>& inflows, double begin, double end) {
    double sum = 0;
    for (const Inflow& inflow : inflows) {
        for (double cycle = std::floor(begin - inflow.end); cycle <= end; cycle += 1) {
            const double from = std::max(begin, inflow.begin + cycle);
            sum += inflow.rate * std::max(0.0, std::min(end, inflow.end + cycle) - from);
        }
    }
    return sum;
}

/// The longest queue of every link in bytes. `cycle_seconds` is no shorter than the bound, so moments of two cycles are
/// enough. O(segments² · segments).
inline Queues longest_queues(const Network& network, const Placement& placement, const std::vector<Started>& messages,
                             double cycle_seconds) {
    std::map<std::pair<std::string, std::string>, std::pair<double, std::vector<Inflow>>> links;
    for (const Started& message : messages) {
        double slowest = std::numeric_limits<double>::infinity();
        for (const Hop& hop : hops(network, placement, message.from, message.to)) {
            const double speed = std::isinf(slowest) ? hop.message_speed : slowest;
            auto& [capacity, inflows] = links[hop.name];
            capacity = hop.link_speed * cycle_seconds;
            inflows.push_back({message.at, message.at + message.bytes / speed / cycle_seconds, speed * cycle_seconds});
            slowest = std::min(slowest, hop.message_speed);
        }
    }
    Queues queues;
    for (const auto& [name, link] : links) {
        const auto& [capacity, inflows] = link;
        std::vector<double> moments;
        for (const Inflow& inflow : inflows) {
            moments.push_back(inflow.begin - std::floor(inflow.begin));
            moments.push_back(inflow.end - std::floor(inflow.end));
        }
        double longest = 0;
        for (const double until : moments) {
            for (const double moment : moments) {
                const double since = moment <= until ? moment : moment - 1;
                longest = std::max(longest, inflow_between(inflows, since, until) - capacity * (until - since));
            }
        }
        queues[name] = longest;
    }
    return queues;
}

/// The same by time stepping: not exact, but with nothing of the above in it.
inline double stepped_queue(const std::vector<Inflow>& inflows, double capacity, int steps) {
    double queue = 0;
    double longest = 0;
    for (int step = 0; step < 3 * steps; ++step) {
        const double begin = static_cast<double>(step) / steps;
        queue = std::max(0.0, queue + inflow_between(inflows, begin, begin + 1.0 / steps) - capacity / steps);
        longest = std::max(longest, queue);
    }
    return longest;
}

}  // namespace aapc::test
