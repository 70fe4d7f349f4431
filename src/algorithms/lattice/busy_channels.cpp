#include "algorithms/lattice/busy_channels.hpp"

#include <algorithm>
#include <numeric>
#include <span>

#include "aapc/topology/fabric.hpp"
#include "algorithms/lattice/traffic.hpp"

namespace aapc::lattice {

namespace {

/// Pairs of a leaf switch and a machine whose routes are walked, some 50 ns each.
constexpr std::size_t most_walks = 2'000'000;

/// The sample has cables of some so many messages together, and at least a few.
constexpr std::int64_t messages_wanted = 300'000;
constexpr std::size_t fewest_cables = 12;
constexpr std::size_t most_cables = 128;

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
    const auto wanted = static_cast<std::size_t>(messages_wanted / std::max<std::int64_t>(loads.front().messages, 1));
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

}  // namespace

std::optional<BusyChannels> BusyChannels::find(const Network& network, const Placement& placement,
                                               const Positions& positions, const Bound& bound, std::int64_t slack) {
    if (network.kind() != NetworkKind::fabric || bound.kind != BoundKind::exact) {
        return std::nullopt;
    }
    const Expected<FabricRoutes> routes = FabricRoutes::find(network);
    if (!routes || routes->leaves().size() * network.machines().size() > most_walks) {
        return std::nullopt;
    }
    const std::vector<std::int32_t> cables = cables_to_play(network, bound);
    if (cables.empty()) {
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
    BusyChannels busy;
    const LatticeFormula any(placement.participants(), Multipliers{});
    for (Position position = 0; position < placement.participants(); ++position) {
        busy.stagger_.push_back(any.stagger(position));
    }
    busy.ticks_ = any.ticks();
    busy.message_ = size_of_message(busiest, busy.ticks_, slack);
    std::vector<std::int32_t> number(2 * network.links().size(), -1);
    for (const std::int32_t cable : cables) {
        for (const DirectedLink link : {2 * cable, 2 * cable + 1}) {
            number[place(link)] = static_cast<std::int32_t>(busy.channels_.size());
            busy.channels_.push_back({speeds[place(cable)], {}});
        }
    }
    busy.add_messages(network, placement, positions, *routes, speeds, number);
    std::size_t most = 0;
    for (const Channel& channel : busy.channels_) {
        most = std::max(most, channel.crossings.size());
    }
    std::erase_if(busy.channels_, [&](const Channel& channel) { return 2 * channel.crossings.size() < most; });
    busy.sort_by_stagger();
    return busy;
}

void BusyChannels::add_messages(const Network& network, const Placement& placement, const Positions& places,
                                const FabricRoutes& routes, const std::vector<std::int64_t>& speeds,
                                const std::vector<std::int32_t>& number) {
    std::vector<std::vector<Position>> positions_at(network.machines().size());
    std::vector<std::vector<Position>> positions_under(routes.leaves().size());
    for (Position position = 0; position < positions(); ++position) {
        const Machine machine = placement.machine_of[place(places.rank_at[place(position)])];
        positions_at[place(machine)].push_back(position);
        positions_under[place(routes.leaf_of(machine))].push_back(position);
    }
    // What a message can have of a link: one cable of a bundle.
    const auto own_speed = [&](DirectedLink link) {
        const std::int32_t cables = std::max(network.links()[place(link / 2)].cables, 1);
        return static_cast<std::int32_t>(std::max<std::int64_t>(speeds[place(link / 2)] / cables, 1));
    };
    std::vector<std::int32_t> port_speed;
    port_speed.reserve(places.rank_at.size());
    for (const Rank rank : places.rank_at) {
        port_speed.push_back(own_speed(routes.up_from(placement.machine_of[place(rank)])));
    }
    visit_static_routes(
        network, routes, placement, [&](std::int32_t leaf, Machine to, std::span<const DirectedLink> route) {
            for (std::size_t hop = 0; hop < route.size(); ++hop) {
                if (number[place(route[hop])] < 0) {
                    continue;
                }
                std::int32_t slowest = largest_inflow;
                for (std::size_t before = 0; before < hop; ++before) {
                    slowest = std::min(slowest, own_speed(route[before]));
                }
                Channel& channel = channels_[place(number[place(route[hop])])];
                for (const Position receiver : positions_at[place(to)]) {
                    for (const Position sender : positions_under[place(leaf)]) {
                        channel.crossings.push_back({sender, receiver, std::min(slowest, port_speed[place(sender)])});
                    }
                }
            }
        });
}

void BusyChannels::sort_by_stagger() {
    std::vector<std::size_t> order(stagger_.size());  // by position
    {
        std::vector<Position> by_stagger(stagger_.size());
        std::iota(by_stagger.begin(), by_stagger.end(), 0);
        std::sort(by_stagger.begin(), by_stagger.end(),
                  [&](Position left, Position right) { return stagger_[place(left)] < stagger_[place(right)]; });
        for (std::size_t index = 0; index < order.size(); ++index) {
            order[place(by_stagger[index])] = index;
        }
    }
    std::vector<Crossing> sorted;
    for (Channel& channel : channels_) {
        begin_.assign(order.size() + 1, 0);
        for (const Crossing& crossing : channel.crossings) {
            ++begin_[order[place(crossing.from)] + 1];
        }
        std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
        sorted.resize(channel.crossings.size());
        for (const Crossing& crossing : channel.crossings) {
            sorted[begin_[order[place(crossing.from)]]++] = crossing;
        }
        channel.crossings.swap(sorted);
    }
}

std::int64_t BusyChannels::messages() const {
    std::int64_t sum = 0;
    for (const Channel& channel : channels_) {
        sum += static_cast<std::int64_t>(channel.crossings.size());
    }
    return sum;
}

std::int64_t BusyChannels::longest_of(const Channel& channel, bool staggered) {
    work_ += static_cast<std::int64_t>(channel.crossings.size());
    const std::int64_t positions = this->positions();
    const auto slot = [&](const Crossing& crossing) {
        const std::int64_t sum = sender_slot_[place(crossing.from)] + receiver_slot_[place(crossing.to)];
        return sum - (sum >= positions ? positions : 0);
    };
    begin_.assign(stagger_.size() + 1, 0);
    for (const Crossing& crossing : channel.crossings) {
        ++begin_[static_cast<std::size_t>(slot(crossing)) + 1];
    }
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
    arrivals_.resize(channel.crossings.size());
    for (const Crossing& crossing : channel.crossings) {  // in order of stagger, so those of a slot stay in order
        const std::int64_t at = slot(crossing);
        const Tick stagger = staggered ? stagger_[place(crossing.from)] : 0;
        arrivals_[begin_[static_cast<std::size_t>(at)]++] = {at * ticks_in_slot + stagger, crossing.inflow};
    }
    return longest_queue(arrivals_, ticks_, message_, channel.speed, ends_);
}

std::int64_t BusyChannels::longest(const Multipliers& multipliers, std::int64_t enough) {
    const std::int64_t positions = this->positions();
    sender_slot_.clear();
    receiver_slot_.clear();
    for (std::int64_t position = 0; position < positions; ++position) {
        sender_slot_.push_back(multipliers.sender * position % positions);
        receiver_slot_.push_back(multipliers.receiver * position % positions);
    }
    std::int64_t worst = 0;
    for (std::size_t index = 0; index < channels_.size() && worst <= enough; ++index) {
        worst = std::max(worst, longest_of(channels_[index], multipliers.staggered));
        if (worst > enough && index > 0) {
            std::swap(channels_[index], channels_[index / 2]);  // what rules lattices out is played early
        }
    }
    return worst;
}

}  // namespace aapc::lattice
