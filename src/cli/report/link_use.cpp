#include "cli/report/link_use.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "aapc/topology/bound.hpp"

namespace aapc::report {

namespace {

constexpr std::size_t fine = 4;  // moments that a column is computed in

Vertex tail_of(const Network& network, DirectedLink link) {
    const Link& both = network.links()[static_cast<std::size_t>(link / 2)];
    return link % 2 == 0 ? both.lower : both.upper;
}

Vertex head_of(const Network& network, DirectedLink link) { return tail_of(network, link ^ 1); }

double speed_of(const Network& network, DirectedLink link) {
    return network.links()[static_cast<std::size_t>(link / 2)].bits_per_second / 8;
}

double flow_speed_of(const Network& network, DirectedLink link) {
    return network.links()[static_cast<std::size_t>(link / 2)].flow_bits_per_second() / 8;
}

/// What flows into one link, by moments.
class Inflow {
  public:
    Inflow(double seconds, std::size_t moments, bool repeats)
        : step_(seconds / static_cast<double>(moments)), repeats_(repeats), bytes_(moments, 0.0) {}

    void add(double start, double rate, double bytes) {
        const double last_moment = step_ * static_cast<double>(bytes_.size());
        if (!repeats_ && !(start >= 0 && start < last_moment)) {
            return;
        }
        const double end = std::min(start + bytes / rate, repeats_ ? start + last_moment : last_moment);
        const auto count = static_cast<std::int64_t>(bytes_.size());
        const auto first = static_cast<std::int64_t>(std::floor(start / step_));
        const auto last = static_cast<std::int64_t>(std::floor(end / step_));
        for (std::int64_t moment = first; moment <= last; ++moment) {
            const double begin = static_cast<double>(moment) * step_;
            const double part = std::min(end, begin + step_) - std::max(start, begin);
            const std::int64_t place = repeats_ ? ((moment % count) + count) % count : moment;
            if (part > 0 && place >= 0 && place < count) {
                bytes_[static_cast<std::size_t>(place)] += part * rate;
            }
        }
    }

    /// Fills a row of cells. Returns when the last byte leaves.
    double serve(double speed, double largest, LinkUse::Cell* cells) const {
        double queue = 0;
        double end = 0;
        for (int lap = repeats_ ? 0 : 1; lap < 2; ++lap) {
            for (std::size_t moment = 0; moment < bytes_.size(); ++moment) {
                const double served = std::min(queue + bytes_[moment], speed * step_);
                queue += bytes_[moment] - served;
                if (lap == 1) {
                    LinkUse::Cell& cell = cells[moment / fine];
                    cell.used += served / (speed * step_) / fine;
                    cell.waiting += queue / largest / fine;
                    end = served > 0 ? static_cast<double>(moment + 1) * step_ : end;
                }
            }
        }
        return end;
    }

  private:
    double step_;
    bool repeats_;
    std::vector<double> bytes_;
};

}  // namespace

Expected<Ways> Ways::find(const Network& network, const Placement& placement) {
    auto routes = Routes::find(network);
    if (!routes) {
        return failure(routes.error());
    }
    return Ways(network, placement, std::move(*routes));
}

std::vector<DirectedLink> Ways::of(Rank from, Rank to) const {
    const Machine machine = placement_->machine_of[static_cast<std::size_t>(from)];
    std::vector<DirectedLink> links;
    routes_.append(machine, placement_->machine_of[static_cast<std::size_t>(to)], links);
    Vertex here = network_->machines()[static_cast<std::size_t>(machine)].vertex;
    for (auto next = links.begin(); next != links.end(); ++next) {
        const auto found =
            std::find_if(next, links.end(), [&](DirectedLink link) { return tail_of(*network_, link) == here; });
        if (found == links.end()) {
            break;
        }
        std::iter_swap(next, found);
        here = head_of(*network_, *next);
    }
    return links;
}

LinkUse use_of_pieces(const Ways& ways, const std::vector<Piece>& pieces, const Frame& frame) {
    const Network& network = ways.network();
    LinkUse use{frame.seconds, frame.columns, frame.links, {}, 0};
    use.cells.resize(frame.links.size() * frame.columns);
    std::vector<std::int64_t> row_of(2 * network.links().size(), -1);
    for (std::size_t row = 0; row < frame.links.size(); ++row) {
        row_of[static_cast<std::size_t>(frame.links[row])] = static_cast<std::int64_t>(row);
    }
    std::vector<Inflow> inflows(frame.links.size(), Inflow(frame.seconds, fine * frame.columns, frame.repeats));
    std::map<std::pair<Rank, Rank>, std::vector<DirectedLink>> ways_known;
    double largest = 0;
    for (const Piece& piece : pieces) {
        largest = std::max(largest, piece.bytes);
        const auto [way, is_new] = ways_known.try_emplace({piece.from, piece.to});
        if (is_new) {
            way->second = ways.of(piece.from, piece.to);
        }
        double rate = way->second.empty() ? 0 : flow_speed_of(network, way->second.front());
        for (const DirectedLink link : way->second) {
            if (const std::int64_t row = row_of[static_cast<std::size_t>(link)]; row >= 0) {
                inflows[static_cast<std::size_t>(row)].add(piece.start_seconds, rate, piece.bytes);
            }
            rate = std::min(rate, flow_speed_of(network, link));
        }
    }
    for (std::size_t row = 0; row < frame.links.size(); ++row) {
        const double end =
            inflows[row].serve(speed_of(network, frame.links[row]), largest, &use.cells[row * frame.columns]);
        use.end_seconds = std::max(use.end_seconds, end);
    }
    return use;
}

std::vector<DirectedLink> shown_links(const Ways& ways, std::size_t most) {
    const Network& network = ways.network();
    const Bound bound = network_bound(network, ways.placement());
    std::vector<std::int32_t> chosen;
    for (const bool between_switches : {true, false}) {
        for (const LinkLoad& load : bound.links) {
            const Link& link = network.links()[static_cast<std::size_t>(load.link)];
            const auto is_switch = [&](Vertex vertex) {
                return network.vertices()[static_cast<std::size_t>(vertex)].is_switch;
            };
            const bool trunk = is_switch(link.lower) && is_switch(link.upper);
            // Half of the rows are for machines, which show who sends when.
            const std::size_t room = trunk && 2 * bound.links.size() > most ? most / 4 : most / 2;
            if (trunk == between_switches && chosen.size() < room) {
                chosen.push_back(load.link);
            }
        }
    }
    std::sort(chosen.begin(), chosen.end());
    std::vector<DirectedLink> links;
    for (const std::int32_t link : chosen) {
        links.insert(links.end(), {2 * link, 2 * link + 1});
    }
    return links;
}

}  // namespace aapc::report
