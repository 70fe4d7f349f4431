// Tori: every route is walked.
#include "topology/torus_loads.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "aapc/topology/torus.hpp"
#include "topology/demand/load_shares.hpp"

namespace aapc::demand {

namespace {

class TorusLoads final : public LoadShares {
  public:
    TorusLoads(TorusWiring wiring, std::vector<std::int32_t> sum_of, std::vector<Machine> machine_of)
        : wiring_(std::move(wiring)), sum_of_(std::move(sum_of)), machine_of_(std::move(machine_of)) {}

    void write(Rank rank, std::span<const std::int64_t> to, std::span<std::int64_t> sums) const override {
        std::fill(sums.begin(), sums.end(), 0);
        std::vector<DirectedLink> route;
        for (std::size_t other = 0; other < to.size(); ++other) {
            if (to[other] > 0) {
                route.clear();
                wiring_.append_route(machine_of_[index(rank)], machine_of_[other], route);
                for (const DirectedLink link : route) {
                    sums[index(sum_of_[index(link)])] += to[other];
                }
            }
        }
    }

    /// Links of a torus are no bundles.
    [[nodiscard]] std::int64_t slowest_message(Rank /*rank*/, std::span<const std::int64_t> /*to*/) const override {
        return 0;
    }

  private:
    TorusWiring wiring_;
    std::vector<std::int32_t> sum_of_;  ///< by directed link
    std::vector<Machine> machine_of_;   ///< by rank
};

}  // namespace

Expected<SummedLinks> find_in_torus(const Network& network, const Placement& placement) {
    std::optional<TorusWiring> wiring = TorusWiring::find(network);
    if (!wiring) {
        return failure("the links of the network form no torus", "connect the machines in rings");
    }
    SummedLinks summed;
    summed.own_speeds.assign(placement.machine_of.size(), 0);
    const std::vector<std::int64_t> messages = torus_loads(network, placement, *wiring);
    std::vector<std::int32_t> sum_of(messages.size(), -1);
    for (std::size_t link = 0; link < messages.size(); ++link) {
        if (messages[link] == 0) {
            continue;
        }
        const Expected<std::int64_t> speed = whole_speed(network, static_cast<std::int32_t>(link / 2));
        if (!speed) {
            return failure(speed.error());
        }
        sum_of[link] = static_cast<std::int32_t>(summed.links.size());
        summed.links.push_back(static_cast<DirectedLink>(link));
        summed.speeds.push_back(*speed);
    }
    summed.shares = std::make_unique<TorusLoads>(std::move(*wiring), std::move(sum_of), placement.machine_of);
    return summed;
}

}  // namespace aapc::demand
