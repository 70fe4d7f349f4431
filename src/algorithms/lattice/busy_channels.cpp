#include "algorithms/lattice/busy_channels.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "aapc/topology/fabric.hpp"
#include "algorithms/lattice/traffic.hpp"

namespace aapc::lattice {

namespace {

/// Pairs of a leaf switch and a machine whose routes are walked, some 50 ns each.
constexpr std::size_t most_walks = 2'000'000;

/// The sample has cables of some so many messages together, and at least a few.
constexpr std::int64_t messages_wanted = 600'000;
constexpr std::size_t fewest_cables = 12;
constexpr std::size_t most_cables = 256;

/// No channel is faster, in the units of whole_speeds().
constexpr std::int32_t largest_inflow = std::int32_t{1} << 24U;

std::size_t place(std::int32_t value) { return static_cast<std::size_t>(value); }

/// Cables between switches, the busiest first: one half of those that are nearly as busy as the busiest, the other half
/// of those that are at least half as busy, each evenly chosen.
std::vector<std::int32_t> cables_to_play(const Network& network, const Bound& bound) {
    std::vector<LinkLoad> loads;  // the busiest first
    for (const LinkLoad& load : bound.links) {
        if (network.vertices()[place(network.links()[place(load.link)].lower)].is_switch) {
            loads.push_back(load);
        }
    }
    if (loads.empty()) {
        return {};
    }
    const auto busier_than = [&](double part) {
        const auto end = std::find_if(loads.begin(), loads.end(), [&](const LinkLoad& load) {
            return load.seconds_per_byte < part * loads.front().seconds_per_byte ||
                   static_cast<double>(load.messages) < part * static_cast<double>(loads.front().messages);
        });
        return static_cast<std::size_t>(end - loads.begin());
    };
    const std::size_t nearly = busier_than(0.9);
    const std::size_t half = busier_than(0.5);
    const std::int64_t both_ways = 2 * std::max<std::int64_t>(loads.front().messages, 1);
    const auto wanted = static_cast<std::size_t>(messages_wanted / both_ways);
    const std::size_t count = std::min(std::clamp(wanted, fewest_cables, most_cables), half);
    const std::size_t of_rest = std::min(std::max(count / 2, count - std::min(count, nearly)), half - nearly);
    const std::size_t of_first = count - of_rest;
    std::vector<std::int32_t> chosen;
    chosen.reserve(count);
    for (std::size_t index = 0; index < of_first; ++index) {
        chosen.push_back(loads[index * nearly / of_first].link);
    }
    for (std::size_t index = 0; index < of_rest; ++index) {
        chosen.push_back(loads[nearly + index * (half - nearly) / of_rest].link);
    }
    return chosen;
}

/// The link of a machine that needs the most time; nullopt if none carries messages.
std::optional<std::int32_t> busiest_port(const Network& network, const Bound& bound) {
    const auto port = std::find_if(bound.links.begin(), bound.links.end(), [&](const LinkLoad& load) {
        return !network.vertices()[place(network.links()[place(load.link)].lower)].is_switch;
    });
    return port == bound.links.end() ? std::nullopt : std::optional(port->link);
}

}  // namespace

/// Finds the messages of the channels that are wanted.
class BusyChannels::Walk {
  public:
    Walk(const Network& network, const Placement& placement, const Positions& places, const FabricRoutes& routes,
         const std::vector<std::int64_t>& speeds)
        : network_(network),
          placement_(placement),
          routes_(routes),
          speeds_(speeds),
          number_(2 * network.links().size(), -1),
          positions_at_(network.machines().size()),
          positions_under_(routes.leaves().size()) {
        for (const Rank rank : places.rank_at) {
            const Machine machine = placement.machine_of[place(rank)];
            const auto position = static_cast<Position>(machine_of_.size());
            positions_at_[place(machine)].push_back(position);
            positions_under_[place(routes.leaf_of(machine))].push_back(position);
            machine_of_.push_back(machine);
            port_speed_.push_back(own_speed(routes.up_from(machine)));
        }
    }

    /// Both directions of a cable.
    void want(std::int32_t link) {
        for (const DirectedLink direction : {2 * link, 2 * link + 1}) {
            number_[place(direction)] = static_cast<std::int32_t>(channels_.size());
            channels_.push_back({speeds_[place(link)], {}});
        }
    }

    /// Both directions of the port of one machine; once.
    void want_port(std::int32_t link) {
        want(link);
        const auto is_there = [&](Machine machine) { return routes_.up_from(machine) / 2 == link; };
        machine_ = *std::find_if(machine_of_.begin(), machine_of_.end(), is_there);
    }

    [[nodiscard]] std::vector<Channel> channels() {
        visit_static_routes(
            network_, routes_, placement_,
            [&](std::int32_t leaf, Machine to, std::span<const DirectedLink> route) { add_messages(leaf, to, route); });
        for (Machine to = 0; to < static_cast<Machine>(positions_at_.size()); ++to) {
            add_messages(routes_.leaf_of(to), to, {});
        }
        return std::move(channels_);
    }

  private:
    /// What a message can have of a link: one cable of a bundle.
    [[nodiscard]] std::int32_t own_speed(DirectedLink link) const {
        const std::int32_t cables = std::max(network_.links()[place(link / 2)].cables, 1);
        return static_cast<std::int32_t>(std::max<std::int64_t>(speeds_[place(link / 2)] / cables, 1));
    }

    /// Those from all ranks under a leaf to all of a machine, which take this route between switches.
    void add_messages(std::int32_t leaf, Machine to, std::span<const DirectedLink> route) {
        const std::vector<Position>& senders = positions_under_[place(leaf)];
        if (leaf == routes_.leaf_of(machine_)) {
            add_crossings(routes_.up_from(machine_), positions_at_[place(machine_)], to, largest_inflow);
        }
        std::int32_t slowest = largest_inflow;
        for (const DirectedLink link : route) {
            add_crossings(link, senders, to, slowest);
            slowest = std::min(slowest, own_speed(link));
        }
        if (to == machine_) {
            add_crossings(routes_.up_from(to) ^ 1, senders, to, slowest);
        }
    }

    /// `slowest`: of the links between switches before that link.
    void add_crossings(DirectedLink link, const std::vector<Position>& senders, Machine to, std::int32_t slowest) {
        if (number_[place(link)] < 0) {
            return;
        }
        std::vector<Crossing>& crossings = channels_[place(number_[place(link)])].crossings;
        for (const Position receiver : positions_at_[place(to)]) {
            for (const Position sender : senders) {
                if (machine_of_[place(sender)] != to) {
                    crossings.push_back({sender, receiver, std::min(slowest, port_speed_[place(sender)])});
                }
            }
        }
    }

    const Network& network_;
    const Placement& placement_;
    const FabricRoutes& routes_;
    const std::vector<std::int64_t>& speeds_;
    std::vector<Channel> channels_;
    std::vector<std::int32_t> number_;                    ///< by directed link: its channel; -1 if it is not wanted
    Machine machine_ = 0;                                 ///< whose port is wanted, if any is
    std::vector<std::vector<Position>> positions_at_;     ///< by machine
    std::vector<std::vector<Position>> positions_under_;  ///< by leaf
    std::vector<Machine> machine_of_;                     ///< by position
    std::vector<std::int32_t> port_speed_;                ///< by position
};

std::optional<BusyChannels> BusyChannels::find(const Network& network, const Placement& placement,
                                               const Positions& positions, const Bound& bound, std::int64_t slack) {
    if (network.kind() != NetworkKind::fabric || bound.kind != BoundKind::exact) {
        return std::nullopt;
    }
    const Expected<FabricRoutes> routes = FabricRoutes::find(network);
    if (!routes || routes->leaves().size() * network.machines().size() > most_walks) {
        return std::nullopt;
    }
    const std::optional<std::int32_t> port = busiest_port(network, bound);
    if (!port) {
        return std::nullopt;
    }
    std::vector<std::int64_t> loads(network.links().size(), 0);
    for (const LinkLoad& load : bound.links) {
        loads[place(load.link)] = load.messages;
    }
    const std::vector<std::int64_t> speeds = whole_speeds(network, loads);
    BusyTime busiest;
    for (std::size_t link = 0; link < loads.size(); ++link) {
        busiest = std::max(busiest, BusyTime{loads[link], speeds[link]});
    }
    Walk walk(network, placement, positions, *routes, speeds);
    walk.want_port(*port);
    const std::vector<std::int32_t> cables = cables_to_play(network, bound);
    for (std::size_t index = 0; index < cables.size(); ++index) {
        walk.want(cables[scattered(index, cables.size())]);  // or else the busiest would all be played first
    }
    BusyChannels busy;
    busy.message_ = size_of_message(busiest, placement.participants() * ticks_in_slot, slack);
    busy.channels_ = walk.channels();
    const auto is_idle = [&](const Channel& channel) {
        const auto messages = static_cast<std::int64_t>(channel.crossings.size());
        return BusyTime{2 * messages, channel.speed} < busiest;
    };
    const auto first_cable = busy.channels_.begin() + 2;
    busy.channels_.erase(std::remove_if(first_cable, busy.channels_.end(), is_idle), busy.channels_.end());
    return busy;
}

std::int64_t BusyChannels::messages() const {
    std::int64_t sum = 0;
    for (const Channel& channel : channels_) {
        sum += static_cast<std::int64_t>(channel.crossings.size());
    }
    return sum;
}

std::int64_t BusyChannels::longest_of(const Channel& channel, const LatticeFormula& formula) {
    work_ += static_cast<std::int64_t>(channel.crossings.size());
    arrivals_.clear();
    for (const Crossing& crossing : channel.crossings) {
        arrivals_.push_back({formula.tick(crossing.from, crossing.to), crossing.inflow});
    }
    sort_by_tick(
        arrivals_, formula.ticks(), [](const Arrival& arrival) { return arrival.tick; }, sorted_, begin_);
    return longest_queue(arrivals_, formula.ticks(), message_, channel.speed, ends_);
}

std::int64_t BusyChannels::longest(const LatticeFormula& formula, std::int64_t most_messages, std::int64_t enough) {
    std::int64_t worst = 0;
    std::int64_t played = 0;
    for (std::size_t index = 0; index < channels_.size() && worst <= enough && played < most_messages; ++index) {
        worst = std::max(worst, longest_of(channels_[index], formula));
        played += static_cast<std::int64_t>(channels_[index].crossings.size());
        if (worst > enough && index > 0) {
            std::swap(channels_[index], channels_[index / 2]);  // what rules lattices out is played early
        }
    }
    return worst;
}

}  // namespace aapc::lattice
