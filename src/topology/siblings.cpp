#include "aapc/topology/siblings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "aapc/topology/bound.hpp"

namespace aapc {

namespace {

/// The distance between the ranks, of which there are two at least, ascending; 0 if it is not the same everywhere.
Rank stride_of(const std::vector<Rank>& ascending) {
    const Rank stride = ascending[1] - ascending[0];
    for (std::size_t index = 1; index < ascending.size(); ++index) {
        if (ascending[index] - ascending[index - 1] != stride) {
            return 0;
        }
    }
    return stride;
}

std::int64_t share_of(std::int64_t bytes, double share) {
    return bytes > 0 ? std::max<std::int64_t>(std::llround(static_cast<double>(bytes) * share), 1) : 0;
}

}  // namespace

std::vector<std::vector<Rank>> sibling_groups(std::span<const Rank> members, Rank ranks) {
    std::vector<Rank> ascending(members.begin(), members.end());
    std::sort(ascending.begin(), ascending.end());
    const auto size = static_cast<Rank>(ascending.size());
    const Rank stride = size >= 2 ? stride_of(ascending) : 0;
    if (stride < 1 || ascending.front() < 0 || ascending.back() >= ranks) {
        return {};
    }
    // A block of so many ranks in a row holds `stride` groups, each of which begins with one of its first ranks.
    const Rank block = stride * size;
    if (size == ranks || ranks % block != 0 || ascending.front() % block >= stride) {
        return {};
    }
    std::vector<std::vector<Rank>> groups;
    groups.reserve(static_cast<std::size_t>(ranks / size));
    for (Rank begin = 0; begin < ranks; begin += block) {
        for (Rank first = begin; first < begin + stride; ++first) {
            std::vector<Rank>& group = groups.emplace_back();
            group.reserve(ascending.size());
            for (Rank rank = first; rank < begin + block; rank += stride) {
                group.push_back(rank);
            }
        }
    }
    return groups;
}

std::optional<Network> shared_network(const Network& network, const Placement& own,
                                      std::span<const Placement> together) {
    std::vector<double> of_all(network.links().size(), 0);
    for (const Placement& group : together) {
        for (const LinkLoad& load : network_bound(network, group).links) {
            of_all[static_cast<std::size_t>(load.link)] += load.seconds_per_byte;
        }
    }
    std::vector<Link> links = network.links();
    bool shares = false;
    for (const LinkLoad& load : network_bound(network, own).links) {
        const double all = of_all[static_cast<std::size_t>(load.link)];
        if (load.seconds_per_byte <= 0 || all <= load.seconds_per_byte) {
            continue;
        }
        shares = true;
        const double share = load.seconds_per_byte / all;
        Link& link = links[static_cast<std::size_t>(load.link)];
        link.bits_per_second *= share;
        link.lower_buffer_bytes = share_of(link.lower_buffer_bytes, share);
        link.upper_buffer_bytes = share_of(link.upper_buffer_bytes, share);
    }
    if (!shares) {
        return std::nullopt;
    }
    return Network(network.kind(), network.vertices(), std::move(links), network.machines(), network.mtu_bytes(),
                   network.forwarding());
}

std::optional<SharedLinks> links_shared_by(const Network& network, const Placement& world,
                                           std::span<const Rank> members) {
    // A bound looks at each vertex and each rank once: some 10 ms for so many.
    constexpr std::size_t most_steps = 2'000'000;
    const auto groups = sibling_groups(members, world.participants());
    if (groups.size() * (network.vertices().size() + members.size()) > most_steps) {
        return std::nullopt;
    }
    std::vector<Placement> together;
    together.reserve(groups.size());
    for (const std::vector<Rank>& group : groups) {
        together.push_back(placement_of(group, world));
    }
    auto shared = shared_network(network, placement_of(members, world), together);
    return shared ? std::optional(SharedLinks{std::move(*shared), groups.size()}) : std::nullopt;
}

std::string sharing_text(std::size_t siblings) {
    const std::size_t others = siblings - 1;
    return fmt::format("it is taken to share links with {} that exchange{} at the same time",
                       others == 1 ? "another communicator" : fmt::format("{} communicators", others),
                       others == 1 ? "s" : "");
}

}  // namespace aapc
