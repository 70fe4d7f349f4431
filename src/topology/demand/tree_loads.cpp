// Trees: what a rank puts on all links follows from what it has for the ranks below each vertex.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "aapc/topology/link_loads.hpp"
#include "topology/demand/load_shares.hpp"

namespace aapc::demand {

namespace {

constexpr std::int64_t no_limit = std::numeric_limits<std::int64_t>::max();

/// A vertex and the link to its parent.
struct Step {
    Vertex vertex = -1;
    Vertex parent = -1;
    std::int32_t link = -1;
    std::int32_t upward = -1;    ///< which sum has the load towards the parent; -1: none
    std::int32_t downward = -1;  ///< the same from the parent
};

/// All vertices that can be reached from vertex 0, but this, parents first. Each once, even if the graph is no tree.
std::vector<Step> steps_from_root(const Network& network) {
    std::vector<bool> reached(network.vertices().size(), false);
    std::vector<Step> order;
    std::vector<Vertex> queue{0};
    reached[0] = true;
    for (std::size_t next = 0; next < queue.size(); ++next) {
        const Vertex parent = queue[next];
        for (const std::int32_t link : network.links_at(parent)) {
            const Vertex child = network.other_end(link, parent);
            if (!reached[index(child)]) {
                reached[index(child)] = true;
                queue.push_back(child);
                order.push_back({child, parent, link});
            }
        }
    }
    return order;
}

class TreeLoads final : public LoadShares {
  public:
    TreeLoads(const Network& network, const Placement& placement);

    /// Chooses the links that are summed, or says whose speed is missing.
    [[nodiscard]] Expected<void> choose(const Network& network, SummedLinks& summed);

    void write(Rank rank, std::span<const std::int64_t> to, std::span<std::int64_t> sums) const override;
    [[nodiscard]] std::int64_t slowest_message(Rank rank, std::span<const std::int64_t> to) const override;

  private:
    std::vector<Step> order_;
    std::vector<std::size_t> step_of_;        ///< by vertex: where its step is; order_.size() for vertex 0
    std::vector<Vertex> vertex_of_;           ///< by rank
    std::vector<std::int64_t> cable_speeds_;  ///< by step: of one cable; no_limit where no message crosses
    bool has_bundles_ = false;
};

TreeLoads::TreeLoads(const Network& network, const Placement& placement)
    : order_(steps_from_root(network)), step_of_(network.vertices().size(), order_.size()) {
    for (std::size_t step = 0; step < order_.size(); ++step) {
        step_of_[index(order_[step].vertex)] = step;
    }
    for (const Machine machine : placement.machine_of) {
        vertex_of_.push_back(network.machines()[index(machine)].vertex);
    }
    cable_speeds_.assign(order_.size(), no_limit);
}

Expected<void> TreeLoads::choose(const Network& network, SummedLinks& summed) {
    const auto participants = static_cast<std::int64_t>(vertex_of_.size());
    struct Below {
        std::int64_t ranks = 0;
        std::int64_t sum_of_ranks = 0;  ///< of their numbers: the rank itself, where there is one
        std::int64_t brought = 0;       ///< what can come up to the vertex, in bits a second
    };
    std::vector<Below> below(network.vertices().size());
    for (Rank rank = 0; rank < static_cast<Rank>(vertex_of_.size()); ++rank) {
        Below& own = below[index(vertex_of_[index(rank)])];
        own = {own.ranks + 1, own.sum_of_ranks + rank, no_limit};
    }
    const std::int64_t sum_of_all = participants * (participants - 1) / 2;
    for (std::size_t number = order_.size(); number-- > 0;) {
        Step& step = order_[number];
        const Below here = below[index(step.vertex)];
        Below& parent = below[index(step.parent)];
        parent.ranks += here.ranks;
        parent.sum_of_ranks += here.sum_of_ranks;
        if (here.ranks == 0 || here.ranks == participants) {
            continue;  // no message crosses it
        }
        const Expected<std::int64_t> speed = whole_speed(network, step.link);
        if (!speed) {
            return failure(speed.error());
        }
        const Link& link = network.links()[index(step.link)];
        cable_speeds_[number] = std::max<std::int64_t>(*speed / link.cables, 1);
        has_bundles_ = has_bundles_ || link.cables > 1;
        const std::int64_t brought = std::min(*speed, here.brought);
        parent.brought = parent.brought > no_limit - brought ? no_limit : parent.brought + brought;
        const bool is_of_one = here.ranks == 1 || here.ranks == participants - 1;
        if (is_of_one) {
            const std::int64_t rank = here.ranks == 1 ? here.sum_of_ranks : sum_of_all - here.sum_of_ranks;
            std::int64_t& own = summed.own_speeds[static_cast<std::size_t>(rank)];
            own = own == 0 ? *speed : std::min(own, *speed);
        } else if (here.brought > *speed) {
            const bool lower_first = link.lower == step.vertex;
            step.upward = static_cast<std::int32_t>(summed.links.size());
            step.downward = step.upward + 1;
            summed.links.push_back(2 * step.link + (lower_first ? 0 : 1));
            summed.links.push_back(summed.links.back() ^ 1);
            summed.speeds.insert(summed.speeds.end(), 2, *speed);
        }
    }
    return {};
}

void TreeLoads::write(Rank rank, std::span<const std::int64_t> to, std::span<std::int64_t> sums) const {
    std::vector<std::int64_t> below(step_of_.size(), 0);
    std::int64_t total = 0;
    for (std::size_t other = 0; other < to.size(); ++other) {
        if (other != index(rank)) {
            below[index(vertex_of_[other])] += to[other];
            total += to[other];
        }
    }
    for (std::size_t number = order_.size(); number-- > 0;) {
        const Step& step = order_[number];
        const std::int64_t here = below[index(step.vertex)];
        below[index(step.parent)] += here;
        if (step.upward >= 0) {
            sums[index(step.upward)] = 0;
            sums[index(step.downward)] = here;
        }
    }
    // Above itself it is the other way round.
    for (std::size_t at = step_of_[index(vertex_of_[index(rank)])]; at < order_.size();
         at = step_of_[index(order_[at].parent)]) {
        const Step& step = order_[at];
        if (step.upward >= 0) {
            sums[index(step.upward)] = total - below[index(step.vertex)];
            sums[index(step.downward)] = 0;
        }
    }
}

std::int64_t TreeLoads::slowest_message(Rank rank, std::span<const std::int64_t> to) const {
    if (!has_bundles_) {
        return 0;
    }
    // By vertex: the speed of the slowest cable on the way there; 0: not known yet.
    std::vector<std::int64_t> slowest(step_of_.size(), 0);
    Vertex at = vertex_of_[index(rank)];
    slowest[index(at)] = no_limit;
    while (step_of_[index(at)] < order_.size()) {
        const std::size_t step = step_of_[index(at)];
        const std::int64_t so_far = slowest[index(at)];
        at = order_[step].parent;
        slowest[index(at)] = std::min(so_far, cable_speeds_[step]);
    }
    for (std::size_t step = 0; step < order_.size(); ++step) {
        std::int64_t& here = slowest[index(order_[step].vertex)];
        here = here > 0 ? here : std::min(slowest[index(order_[step].parent)], cable_speeds_[step]);
    }
    std::int64_t longest = 0;
    for (std::size_t other = 0; other < to.size(); ++other) {
        if (to[other] > 0 && vertex_of_[other] != vertex_of_[index(rank)]) {
            longest = std::max(longest, transfer_nanoseconds(to[other], slowest[index(vertex_of_[other])]));
        }
    }
    return longest;
}

}  // namespace

Expected<SummedLinks> find_in_tree(const Network& network, const Placement& placement) {
    SummedLinks summed;
    summed.own_speeds.assign(placement.machine_of.size(), 0);
    auto loads = std::make_unique<TreeLoads>(network, placement);
    if (Expected<void> chosen = loads->choose(network, summed); !chosen) {
        return failure(std::move(chosen.error()));
    }
    summed.shares = std::move(loads);
    return summed;
}

}  // namespace aapc::demand
