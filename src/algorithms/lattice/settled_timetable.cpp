#include "algorithms/lattice/settled_timetable.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "algorithms/lattice/formula.hpp"

namespace aapc::lattice {

namespace {

/// Ticks of all messages from one machine, whose positions are first … last-1; `ticks` go by ranks.
void start_in_turn(const Positions& places, const Traffic& traffic, const Settlement& settlement, Position first,
                   Position last, std::vector<Tick>& ticks) {
    const auto positions = static_cast<std::size_t>(traffic.positions());
    const auto tick_of = [&](std::size_t pair) -> Tick& {
        return ticks[static_cast<std::size_t>(places.rank_at[pair / positions]) * positions +
                     static_cast<std::size_t>(places.rank_at[pair % positions])];
    };
    const std::int64_t unit = slot_speed(traffic);
    std::vector<std::pair<std::int32_t, std::size_t>> sends;  // slot and pair
    std::int64_t speed = unit;
    for (Position from = first; from < last; ++from) {
        for (Position to = 0; to < traffic.positions(); ++to) {
            const std::size_t pair = static_cast<std::size_t>(from) * positions + static_cast<std::size_t>(to);
            const std::int32_t slot = settlement.slots[pair];
            if (slot >= 0) {
                sends.emplace_back(slot, pair);
                speed = traffic.speed(static_cast<std::size_t>(traffic.route(from, to).front().channel));
            } else {
                tick_of(pair) = (std::int64_t{from} + to) % traffic.positions() * settlement.slot_count *
                                (ticks_in_slot / traffic.positions());
            }
        }
    }
    std::sort(sends.begin(), sends.end());
    std::int64_t earlier = 0;
    for (std::size_t index = 0; index < sends.size(); ++index) {
        earlier = index > 0 && sends[index - 1].first == sends[index].first ? earlier + 1 : 0;
        tick_of(sends[index].second) =
            sends[index].first * ticks_in_slot + std::min(earlier * ticks_in_slot * unit / speed, ticks_in_slot - 1);
    }
}

}  // namespace

std::unique_ptr<TickTable> settled_timetable(const Positions& places, const Traffic& traffic,
                                             const Settlement& settlement, double bound_seconds_per_byte) {
    const auto positions = static_cast<std::size_t>(traffic.positions());
    std::vector<Tick> ticks(positions * positions, 0);
    for (Position first = 0; first < traffic.positions();) {
        Position last = first;
        while (last < traffic.positions() && traffic.machine_at(last) == traffic.machine_at(first)) {
            ++last;
        }
        start_in_turn(places, traffic, settlement, first, last, ticks);
        first = last;
    }
    const BusyTime busiest = traffic.busiest();
    const double slots_of_bound =
        static_cast<double>(busiest.messages * slot_speed(traffic)) / static_cast<double>(busiest.speed);
    const double longer = busiest.messages > 0 ? static_cast<double>(settlement.slot_count) / slots_of_bound : 1;
    const Cycle cycle{bound_seconds_per_byte * longer, bound_seconds_per_byte};
    return std::make_unique<TickTable>(static_cast<Rank>(positions), settlement.slot_count * ticks_in_slot, cycle,
                                       std::move(ticks));
}

}  // namespace aapc::lattice
