#include "aapc/bound.hpp"

#include <algorithm>
#include <limits>

namespace aapc {

Bound tree_bound(const Network& network, const Demand& demand) {
    const std::int64_t participants = demand.participants();
    std::vector<std::int64_t> below(network.vertices().size(), 0);
    for (const Machine machine : demand.machine_of) {
        ++below[static_cast<std::size_t>(network.machines()[static_cast<std::size_t>(machine)].vertex)];
    }
    // Vertices with the link to their parent, parents first.
    std::vector<std::pair<Vertex, std::int32_t>> order{{0, -1}};
    for (std::size_t next = 0; next < order.size(); ++next) {
        const auto [vertex, link_to_parent] = order[next];
        for (const std::int32_t link : network.links_at(vertex)) {
            if (link != link_to_parent) {
                order.emplace_back(network.other_end(link, vertex), link);
            }
        }
    }
    Bound bound;
    bound.messages = std::max<std::int64_t>(participants - 1, 0);
    for (auto entry = order.rbegin(); entry != order.rend(); ++entry) {
        const auto [vertex, link] = *entry;
        if (link < 0) {
            continue;
        }
        const std::int64_t side = below[static_cast<std::size_t>(vertex)];
        below[static_cast<std::size_t>(network.other_end(link, vertex))] += side;
        const std::int64_t messages = side * (participants - side);
        if (messages > 0) {
            const double speed = network.links()[static_cast<std::size_t>(link)].bits_per_second;
            bound.links.push_back({link, messages, 8.0 * static_cast<double>(messages) / speed});
        }
    }
    std::sort(bound.links.begin(), bound.links.end(), [](const LinkLoad& left, const LinkLoad& right) {
        return left.seconds_per_byte != right.seconds_per_byte ? left.seconds_per_byte > right.seconds_per_byte
                                                               : left.link < right.link;
    });
    double slowest = std::numeric_limits<double>::infinity();
    for (const LinkLoad& load : bound.links) {
        bound.messages = std::max(bound.messages, load.messages);
        bound.seconds_per_byte = std::max(bound.seconds_per_byte, load.seconds_per_byte);
        slowest = std::min(slowest, network.links()[static_cast<std::size_t>(load.link)].bits_per_second);
    }
    bound.slowest_bits_per_second = bound.links.empty() ? 0 : slowest;
    return bound;
}

}  // namespace aapc
