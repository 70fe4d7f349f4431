#include "aapc/topology/link_loads.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "topology/demand/load_shares.hpp"

namespace aapc {

namespace demand {

Expected<std::int64_t> whole_speed(const Network& network, std::int32_t link) {
    const Link& cable = network.links()[static_cast<std::size_t>(link)];
    if (!(cable.bits_per_second > 0)) {
        const auto name = [&](Vertex vertex) { return network.vertices()[static_cast<std::size_t>(vertex)].name; };
        return failure(fmt::format("the speed of the link between '{}' and '{}' is not known", name(cable.lower),
                                   name(cable.upper)),
                       "give the speed, or where the network is detected, one for all links (detect:10Gbit)");
    }
    constexpr double fastest = 9e15;
    return static_cast<std::int64_t>(std::clamp(std::round(cable.bits_per_second), 1.0, fastest));
}

}  // namespace demand

LinkLoads::LinkLoads(demand::SummedLinks summed)
    : links_(std::move(summed.links)),
      speeds_(std::move(summed.speeds)),
      own_speeds_(std::move(summed.own_speeds)),
      shares_(std::move(summed.shares)) {}

Expected<LinkLoads> LinkLoads::find(const Network& network, const Placement& placement) {
    Expected<demand::SummedLinks> summed =
        network.kind() == NetworkKind::fabric  ? demand::find_in_fabric(network, placement)
        : network.kind() == NetworkKind::torus ? demand::find_in_torus(network, placement)
                                               : demand::find_in_tree(network, placement);
    if (!summed) {
        return failure(std::move(summed.error()));
    }
    return LinkLoads(std::move(*summed));
}

void LinkLoads::write_share(Rank rank, std::span<const std::int64_t> to, std::span<const std::int64_t> from,
                            std::span<std::int64_t> share) const {
    shares_->write(rank, to, share.first(sums()));
    std::int64_t& longest = share[sums()];
    longest = shares_->slowest_message(rank, to);
    if (const std::int64_t speed = own_speeds_[static_cast<std::size_t>(rank)]; speed > 0) {
        std::int64_t sent = 0;
        std::int64_t received = 0;
        for (std::size_t other = 0; other < to.size(); ++other) {
            if (other != static_cast<std::size_t>(rank)) {
                sent += to[other];
                received += from[other];
            }
        }
        longest = std::max(longest, transfer_nanoseconds(std::max(sent, received), speed));
    }
}

void LinkLoads::combine(std::span<const std::int64_t> share, std::span<std::int64_t> others) const {
    for (std::size_t sum = 0; sum < sums(); ++sum) {
        others[sum] += share[sum];
    }
    others[sums()] = std::max(others[sums()], share[sums()]);
}

DemandBound LinkLoads::bound(std::span<const std::int64_t> all, std::int64_t mean_of_maxima) const {
    // A floating-point quotient says at once which links are far from the longest; the others are compared exactly.
    constexpr double nearly = 1 - 1e-12;
    DemandBound bound;
    bound.nanoseconds = all[sums()];
    double longest = 0;
    double second = 0;
    for (std::size_t sum = 0; sum < sums(); ++sum) {
        const double about = static_cast<double>(all[sum]) / static_cast<double>(speeds_[sum]);
        second = std::max(second, std::min(longest, about));
        if (all[sum] == 0 || about < nearly * longest) {
            continue;
        }
        longest = std::max(longest, about);
        const std::int64_t needed = transfer_nanoseconds(all[sum], speeds_[sum]);
        if (needed > bound.nanoseconds) {
            bound.nanoseconds = needed;
            bound.link = links_[sum];
        }
    }
    constexpr double nanoseconds_of_a_byte_at_one_bit = 8e9;
    const double other = nanoseconds_of_a_byte_at_one_bit * (bound.link < 0 ? longest : second);
    bound.rest_nanoseconds = std::max(static_cast<std::int64_t>(other), mean_of_maxima);
    return bound;
}

}  // namespace aapc
