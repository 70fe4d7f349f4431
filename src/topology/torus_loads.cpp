#include "topology/torus_loads.hpp"

#include <algorithm>
#include <cstddef>

namespace aapc {

namespace {

/// Numbers around a ring, for sums over stretches of it.
class RingSums {
  public:
    explicit RingSums(const std::vector<std::int64_t>& values)
        : side_(static_cast<std::int32_t>(values.size())), until_(3 * values.size() + 1, 0) {
        for (std::size_t at = 0; at + 1 < until_.size(); ++at) {
            until_[at + 1] = until_[at] + values[at % values.size()];
        }
    }

    /// The sum from place `first` to before `last`; both from -side to 2·side.
    [[nodiscard]] std::int64_t sum(std::int32_t first, std::int32_t last) const {
        return last <= first ? 0 : until_[place(last)] - until_[place(first)];
    }

  private:
    [[nodiscard]] std::size_t place(std::int32_t at) const {
        const std::int32_t shifted = at + side_;
        return static_cast<std::size_t>(shifted);
    }

    std::int32_t side_;
    std::vector<std::int64_t> until_;
};

/// One ring of a torus: messages that enter it at each place and that leave it there. Every message that enters may
/// leave anywhere; `from[s]·to[d]` of them go from s to d.
struct Ring {
    std::vector<std::int64_t> from;
    std::vector<std::int64_t> to;
    std::vector<bool> goes_up_half_way;  ///< by place: which way messages go round half of the ring

    /// The same ring, counted the other way round.
    [[nodiscard]] Ring reversed() const {
        Ring ring{{from.rbegin(), from.rend()}, {to.rbegin(), to.rend()}, goes_up_half_way};
        std::reverse(ring.goes_up_half_way.begin(), ring.goes_up_half_way.end());
        ring.goes_up_half_way.flip();
        return ring;
    }

    /// How many messages go up from each place to the next. O(places): what a link carries is what the link before it
    /// carries, less what leaves between them, and what enters.
    [[nodiscard]] std::vector<std::int64_t> upward_loads() const {
        const auto side = static_cast<std::int32_t>(from.size());
        const std::int32_t half = side % 2 == 0 ? side / 2 : 0;
        const std::int32_t nearer = (side - 1) / 2;  // places that are nearer upwards than downwards
        const RingSums entering(from);
        const RingSums leaving(to);
        const auto reach = [&](std::int32_t place) {
            return half > 0 && goes_up_half_way[static_cast<std::size_t>(place)] ? half : nearer;
        };
        std::int64_t load = 0;  // of the link that closes the ring
        for (std::int32_t place = 0; place < side; ++place) {
            load += from[static_cast<std::size_t>(place)] * leaving.sum(side, place + reach(place) + 1);
        }
        std::vector<std::int64_t> loads;
        loads.reserve(from.size());
        for (std::int32_t place = 0; place < side; ++place) {
            const auto here = static_cast<std::size_t>(place);
            std::int64_t arriving = entering.sum(place - nearer, place);
            const auto opposite = static_cast<std::size_t>((place + half) % side);
            if (half > 0 && goes_up_half_way[opposite]) {
                arriving += from[opposite];
            }
            load += from[here] * leaving.sum(place + 1, place + reach(place) + 1) - to[here] * arriving;
            loads.push_back(load);
        }
        return loads;
    }
};

/// Counts the messages on every directed link of a torus.
class TorusLoads {
  public:
    TorusLoads(const Network& network, const Placement& placement, const TorusWiring& wiring)
        : wiring_(wiring),
          grid_(wiring.grid()),
          ranks_(static_cast<std::size_t>(grid_.machines()), 0),
          loads_(2 * network.links().size(), 0) {
        for (const Machine machine : placement.machine_of) {
            ++ranks_[static_cast<std::size_t>(machine)];
        }
    }

    [[nodiscard]] std::vector<std::int64_t> count() {
        for (std::size_t dimension = 0; dimension < grid_.dimensions(); ++dimension) {
            count_dimension(dimension);
        }
        return loads_;
    }

  private:
    /// A message moves in a dimension when its later coordinates are those of its destination already and the earlier
    /// ones still those of its origin. So what enters a ring comes from all machines that share the earlier coordinates
    /// with it, and what leaves it goes to all that share the later ones.
    void count_dimension(std::size_t dimension) {
        const std::int32_t side = grid_.side(dimension);
        const std::int32_t stride = grid_.stride(dimension);
        const std::int32_t turn = side * stride;  // machine numbers that share the earlier coordinates
        std::vector<std::int64_t> sharing_earlier(static_cast<std::size_t>(grid_.machines() / stride), 0);
        std::vector<std::int64_t> sharing_later(static_cast<std::size_t>(turn), 0);
        for (Machine machine = 0; machine < grid_.machines(); ++machine) {
            sharing_earlier[static_cast<std::size_t>(machine / stride)] += ranks_[static_cast<std::size_t>(machine)];
            sharing_later[static_cast<std::size_t>(machine % turn)] += ranks_[static_cast<std::size_t>(machine)];
        }
        for (Machine first = 0; first < grid_.machines(); first += turn) {
            for (std::int32_t offset = 0; offset < stride; ++offset) {
                Ring ring;
                for (std::int32_t place = 0; place < side; ++place) {
                    const std::int32_t earlier = first / stride + place;
                    const std::int32_t later = place * stride + offset;
                    ring.from.push_back(sharing_earlier[static_cast<std::size_t>(earlier)]);
                    ring.to.push_back(sharing_later[static_cast<std::size_t>(later)]);
                    const bool half_way = side % 2 == 0;
                    ring.goes_up_half_way.push_back(half_way &&
                                                    grid_.hops(dimension, place, (place + side / 2) % side) > 0);
                }
                count_ring(ring, dimension, first + offset);
            }
        }
    }

    void count_ring(const Ring& ring, std::size_t dimension, Machine first) {
        const std::vector<std::int64_t> upward = ring.upward_loads();
        const std::vector<std::int64_t> downward = ring.reversed().upward_loads();
        for (std::size_t place = 0; place < upward.size(); ++place) {
            const Machine machine = grid_.moved(first, dimension, static_cast<std::int32_t>(place));
            loads_[static_cast<std::size_t>(wiring_.link(machine, dimension, true))] += upward[place];
            loads_[static_cast<std::size_t>(wiring_.link(machine, dimension, false))] +=
                downward[downward.size() - 1 - place];
        }
    }

    const TorusWiring& wiring_;
    const TorusGrid& grid_;
    std::vector<std::int64_t> ranks_;  ///< by machine
    std::vector<std::int64_t> loads_;  ///< by directed link
};

}  // namespace

std::vector<std::int64_t> torus_loads(const Network& network, const Placement& placement, const TorusWiring& wiring) {
    return TorusLoads(network, placement, wiring).count();
}

}  // namespace aapc
