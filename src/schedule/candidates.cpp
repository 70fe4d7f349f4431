#include <algorithm>
#include <optional>
#include <vector>

#include "aapc/check/schedule.hpp"
#include "aapc/schedule/synchronise.hpp"
#include "aapc/timetable/synchronisation.hpp"
#include "aapc/topology/torus.hpp"

namespace aapc {

namespace {

/// The directed links of a tree's routes, found by climbing towards vertex 0.
class TreeRoutes {
  public:
    explicit TreeRoutes(const Network& network)
        : parent_(network.vertices().size(), -1), up_(parent_.size(), -1), depth_(parent_.size(), 0) {
        std::vector<Vertex> order{0};
        for (std::size_t next = 0; next < order.size(); ++next) {
            const Vertex vertex = order[next];
            for (const std::int32_t link : network.links_at(vertex)) {
                const Vertex end = network.other_end(link, vertex);
                if (end != parent_[index(vertex)]) {
                    const bool lower_first = network.links()[index(link)].lower == end;
                    parent_[index(end)] = vertex;
                    depth_[index(end)] = depth_[index(vertex)] + 1;
                    up_[index(end)] = 2 * link + (lower_first ? 0 : 1);
                    order.push_back(end);
                }
            }
        }
    }

    void append(Vertex from, Vertex to, std::vector<DirectedLink>& route) const {
        while (from != to) {
            if (depth_[index(from)] >= depth_[index(to)]) {
                route.push_back(up_[index(from)]);
                from = parent_[index(from)];
            } else {
                route.push_back(up_[index(to)] ^ 1);
                to = parent_[index(to)];
            }
        }
    }

  private:
    static std::size_t index(std::int32_t value) { return static_cast<std::size_t>(value); }

    std::vector<Vertex> parent_;
    std::vector<DirectedLink> up_;  ///< the directed link from a vertex to its parent
    std::vector<std::int32_t> depth_;
};

/// The directed links of a message's route, in any order.
class Routes {
  public:
    explicit Routes(const Network& network) : network_(network) {
        if (network.kind() == NetworkKind::torus) {
            torus_ = TorusWiring::find(network);  // there is one: the checker has passed the schedule
        } else {
            tree_.emplace(network);
        }
    }

    void append(Machine from, Machine to, std::vector<DirectedLink>& route) const {
        if (torus_) {
            torus_->append_route(from, to, route);
        } else if (tree_) {
            tree_->append(vertex_of(from), vertex_of(to), route);
        }
    }

  private:
    [[nodiscard]] Vertex vertex_of(Machine machine) const {
        return network_.machines()[static_cast<std::size_t>(machine)].vertex;
    }

    const Network& network_;
    std::optional<TreeRoutes> tree_;
    std::optional<TorusWiring> torus_;
};

}  // namespace

std::vector<Edge> synchronisation_candidates(const Schedule& schedule) {
    const Network& network = schedule.network();
    const Placement& placement = schedule.placement();
    const Routes routes(network);
    const auto machine_of = [&](Rank rank) { return placement.machine_of[static_cast<std::size_t>(rank)]; };
    // The last user of each directed link so far, and of each rank's port in either direction behind them.
    const std::size_t ports = 2 * network.links().size();
    std::vector<Transfer> last(ports + 2 * static_cast<std::size_t>(placement.participants()));
    std::vector<Edge> candidates;
    std::vector<DirectedLink> route;
    for (const std::vector<Transfer>& phase : schedule.phases()) {
        for (const Transfer& transfer : phase) {
            const std::size_t begin = candidates.size();
            const auto use = [&](std::size_t channel) {
                if (last[channel].from >= 0) {
                    candidates.push_back({last[channel], transfer});
                }
                last[channel] = transfer;
            };
            use(ports + 2 * static_cast<std::size_t>(transfer.from));
            route.clear();
            routes.append(machine_of(transfer.from), machine_of(transfer.to), route);
            for (const DirectedLink link : route) {
                use(static_cast<std::size_t>(link));
            }
            use(ports + 2 * static_cast<std::size_t>(transfer.to) + 1);
            const auto first = candidates.begin() + static_cast<std::ptrdiff_t>(begin);
            std::sort(first, candidates.end());
            candidates.erase(std::unique(first, candidates.end()), candidates.end());
        }
    }
    std::sort(candidates.begin(), candidates.end());
    return candidates;
}

}  // namespace aapc
