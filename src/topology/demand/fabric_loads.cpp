// Fabrics: what a rank has for a leaf switch goes along the tables, or in even parts over all shortest ways.
#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "aapc/topology/bound.hpp"
#include "aapc/topology/fabric.hpp"
#include "aapc/topology/link_loads.hpp"
#include "topology/demand/load_shares.hpp"

namespace aapc::demand {

namespace {

// Instead of a place among the sums:
constexpr std::int32_t not_summed = -1;
constexpr std::int32_t known_by_one = -2;

class FabricLoads final : public LoadShares {
  public:
    /// A copy of the network, to which the routes refer.
    FabricLoads(std::unique_ptr<const Network> network, FabricRoutes routes, std::vector<Machine> machine_of)
        : network_(std::move(network)),
          routes_(std::move(routes)),
          machine_of_(std::move(machine_of)),
          sum_of_(2 * network_->links().size(), not_summed),
          speeds_(network_->links().size(), 0) {}

    /// Chooses the links that are summed, or says whose speed is missing.
    [[nodiscard]] Expected<void> choose(const Placement& placement, SummedLinks& summed);

    void write(Rank rank, std::span<const std::int64_t> to, std::span<std::int64_t> sums) const override;
    [[nodiscard]] std::int64_t slowest_message(Rank rank, std::span<const std::int64_t> to) const override;

  private:
    [[nodiscard]] bool is_static() const { return network_->forwarding().paths == FabricPaths::static_; }
    [[nodiscard]] Vertex head(DirectedLink link) const {
        const Link& cable = network_->links()[index(link / 2)];
        return link % 2 == 0 ? cable.upper : cable.lower;
    }
    [[nodiscard]] std::vector<std::int64_t> by_machine(Rank rank, std::span<const std::int64_t> to) const;
    void spread(std::int32_t from, std::int32_t leaf, double bytes, std::vector<double>& loads) const;
    [[nodiscard]] std::int64_t widest(Machine from, Machine to) const;

    std::unique_ptr<const Network> network_;
    FabricRoutes routes_;
    std::vector<Machine> machine_of_;   ///< by rank
    std::vector<std::int32_t> sum_of_;  ///< by directed link; below 0: its load is not summed
    std::vector<std::int64_t> speeds_;  ///< by link, bits a second; 0 where no message crosses
};

Expected<void> FabricLoads::choose(const Placement& placement, SummedLinks& summed) {
    std::vector<Rank> ranks(network_->machines().size(), 0);
    for (const Machine machine : machine_of_) {
        ++ranks[index(machine)];
    }
    for (const LinkLoad& load : fabric_bound(*network_, placement).links) {
        const Expected<std::int64_t> speed = whole_speed(*network_, load.link);
        if (!speed) {
            return failure(speed.error());
        }
        speeds_[index(load.link)] = *speed;
    }
    for (std::size_t machine = 0; machine < ranks.size(); ++machine) {
        const DirectedLink up = routes_.up_from(static_cast<Machine>(machine));
        if (ranks[machine] == 1) {  // its rank knows what crosses it
            const auto rank = std::find(machine_of_.begin(), machine_of_.end(), static_cast<Machine>(machine));
            summed.own_speeds[static_cast<std::size_t>(rank - machine_of_.begin())] = speeds_[index(up / 2)];
            sum_of_[index(up)] = sum_of_[index(up ^ 1)] = known_by_one;
        }
    }
    for (std::size_t link = 0; link < sum_of_.size(); ++link) {
        if (sum_of_[link] == not_summed && speeds_[link / 2] > 0) {
            sum_of_[link] = static_cast<std::int32_t>(summed.links.size());
            summed.links.push_back(static_cast<DirectedLink>(link));
            summed.speeds.push_back(speeds_[link / 2]);
        }
    }
    return {};
}

/// What the rank has for each other machine.
std::vector<std::int64_t> FabricLoads::by_machine(Rank rank, std::span<const std::int64_t> to) const {
    std::vector<std::int64_t> bytes(network_->machines().size(), 0);
    for (std::size_t other = 0; other < to.size(); ++other) {
        if (machine_of_[other] != machine_of_[index(rank)]) {
            bytes[index(machine_of_[other])] += to[other];
        }
    }
    return bytes;
}

/// Adds what one leaf has for another to the links between them.
void FabricLoads::spread(std::int32_t from, std::int32_t leaf, double bytes, std::vector<double>& loads) const {
    std::map<Vertex, double> here{{routes_.leaves()[index(from)], bytes}};  // all as far from the leaf
    std::vector<DirectedLink> choices;
    while (here.begin()->first != routes_.leaves()[index(leaf)]) {
        std::map<Vertex, double> next;
        for (const auto& [at, part] : here) {
            routes_.choices(at, leaf, choices);
            for (const DirectedLink link : choices) {
                loads[index(link)] += part / static_cast<double>(choices.size());
                next[head(link)] += part / static_cast<double>(choices.size());
            }
        }
        here = std::move(next);
    }
}

void FabricLoads::write(Rank rank, std::span<const std::int64_t> to, std::span<std::int64_t> sums) const {
    const Machine own = machine_of_[index(rank)];
    std::vector<double> loads(sum_of_.size(), 0);
    std::vector<double> to_leaf(routes_.leaves().size(), 0);
    std::vector<DirectedLink> route;
    const std::vector<std::int64_t> bytes = by_machine(rank, to);
    for (std::size_t machine = 0; machine < bytes.size(); ++machine) {
        const auto target = static_cast<Machine>(machine);
        if (bytes[machine] == 0) {
            continue;
        }
        if (is_static()) {
            route.clear();
            routes_.append(own, target, 0, route);
            for (const DirectedLink link : route) {
                loads[index(link)] += static_cast<double>(bytes[machine]);
            }
            continue;
        }
        loads[index(routes_.up_from(own))] += static_cast<double>(bytes[machine]);
        loads[index(routes_.up_from(target) ^ 1)] += static_cast<double>(bytes[machine]);
        to_leaf[index(routes_.leaf_of(target))] += static_cast<double>(bytes[machine]);
    }
    for (std::size_t leaf = 0; leaf < to_leaf.size(); ++leaf) {
        if (to_leaf[leaf] > 0) {
            spread(routes_.leaf_of(own), static_cast<std::int32_t>(leaf), to_leaf[leaf], loads);
        }
    }
    for (std::size_t link = 0; link < loads.size(); ++link) {
        if (sum_of_[link] >= 0) {
            sums[index(sum_of_[link])] = static_cast<std::int64_t>(std::llround(loads[link]));
        }
    }
}

/// Bits a second of the way that is fastest for one message; sprayed messages have all ways at once.
std::int64_t FabricLoads::widest(Machine from, Machine to) const {
    std::int64_t slowest = std::min(speeds_[index(routes_.up_from(from) / 2)], speeds_[index(routes_.up_from(to) / 2)]);
    if (is_static()) {
        std::vector<DirectedLink> route;
        routes_.append(from, to, 0, route);
        for (const DirectedLink link : route) {
            slowest = std::min(slowest, speeds_[index(link / 2)]);
        }
        return slowest;
    }
    const std::int32_t leaf = routes_.leaf_of(to);
    std::map<Vertex, std::int64_t> here{{routes_.leaves()[index(routes_.leaf_of(from))], slowest}};
    std::vector<DirectedLink> choices;
    while (here.begin()->first != routes_.leaves()[index(leaf)]) {
        std::map<Vertex, std::int64_t> next;
        for (const auto& [at, speed] : here) {
            routes_.choices(at, leaf, choices);
            for (const DirectedLink link : choices) {
                std::int64_t& best = next[head(link)];
                best = std::max(best, std::min(speed, speeds_[index(link / 2)]));
            }
        }
        here = std::move(next);
    }
    return here.begin()->second;
}

std::int64_t FabricLoads::slowest_message(Rank rank, std::span<const std::int64_t> to) const {
    if (network_->forwarding().paths == FabricPaths::sprayed) {
        return 0;
    }
    // One for each leaf and speed of port is enough: the largest.
    const Machine own = machine_of_[index(rank)];
    std::map<std::pair<std::int32_t, std::int64_t>, std::pair<std::int64_t, Machine>> largest;
    std::int64_t longest = 0;
    for (std::size_t other = 0; other < to.size(); ++other) {
        const Machine machine = machine_of_[other];
        if (machine == own || to[other] == 0) {
            continue;
        }
        if (is_static()) {
            longest = std::max(longest, transfer_nanoseconds(to[other], widest(own, machine)));
            continue;
        }
        auto& [bytes, where] = largest[{routes_.leaf_of(machine), speeds_[index(routes_.up_from(machine) / 2)]}];
        if (to[other] > bytes) {
            bytes = to[other];
            where = machine;
        }
    }
    for (const auto& [key, message] : largest) {
        longest = std::max(longest, transfer_nanoseconds(message.first, widest(own, message.second)));
    }
    return longest;
}

}  // namespace

Expected<SummedLinks> find_in_fabric(const Network& network, const Placement& placement) {
    auto copy = std::make_unique<const Network>(network);
    Expected<FabricRoutes> routes = FabricRoutes::find(*copy);
    if (!routes) {
        return failure(routes.error());
    }
    SummedLinks summed;
    summed.own_speeds.assign(placement.machine_of.size(), 0);
    auto loads = std::make_unique<FabricLoads>(std::move(copy), std::move(*routes), placement.machine_of);
    if (Expected<void> chosen = loads->choose(placement, summed); !chosen) {
        return failure(std::move(chosen.error()));
    }
    summed.shares = std::move(loads);
    return summed;
}

}  // namespace aapc::demand
