#include "check/cycle_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace aapc::check {

namespace {

std::optional<Violation> check_promises(const ScheduleDraft& draft) {
    if (!draft.phases.empty() || draft.forwards()) {
        return Violation{"There is a cycle, and so no phases and no blocks; but the draft has some."};
    }
    if (draft.guarantee != Guarantee::within_capacity) {
        return Violation{fmt::format("A timetable with a cycle is 'within-capacity'; this one says '{}'.",
                                     to_string(draft.guarantee))};
    }
    if (draft.ticks < 1) {
        return Violation{fmt::format("The cycle has {} ticks, not one at least.", draft.ticks)};
    }
    return std::nullopt;
}

std::string claimed(double seconds) { return fmt::format("{:.9g} s for messages of a byte", seconds); }

}  // namespace

Speeds speeds_of(const Network& network) {
    const bool known = std::all_of(network.links().begin(), network.links().end(),
                                   [](const Link& link) { return link.bits_per_second > 0; });
    Speeds speeds;
    speeds.known = known;
    for (const Link& link : network.links()) {
        for (int direction = 0; direction < 2; ++direction) {
            speeds.of_link.push_back(known ? link.bits_per_second / 8 : 1);
            speeds.of_message.push_back(known ? link.flow_bits_per_second() / 8 : 1);
        }
    }
    return speeds;
}

std::optional<Violation> check_cycle_form(const ScheduleDraft& draft, const Network& network,
                                          const Placement& placement) {
    if (std::optional<Violation> violation = check_promises(draft)) {
        return violation;
    }
    const Transfer* previous = nullptr;
    for (const Transfer& message : draft.transfers) {
        for (const Rank rank : {message.from, message.to}) {
            if (rank < 0 || rank >= placement.participants()) {
                return Violation{
                    fmt::format("There is a message from rank {} to rank {}, but there are {} "
                                "participants.",
                                message.from, message.to, placement.participants())};
            }
        }
        const auto name = [&](const Transfer& of) { return message_name(network, placement, of.from, of.to); };
        if (message.from == message.to) {
            return Violation{fmt::format("There is a message to its own sender, {}.", name(message))};
        }
        if (message.phase < 0 || message.phase >= draft.ticks) {
            return Violation{fmt::format("Message {} starts at tick {} of a cycle of {}.", name(message), message.phase,
                                         draft.ticks)};
        }
        if (previous != nullptr && message < *previous) {
            return Violation{
                fmt::format("Message {} is listed behind {}, which starts later.", name(message), name(*previous))};
        }
        previous = &message;
    }
    return std::nullopt;
}

std::optional<Violation> check_cycle_length(const ScheduleDraft& draft, const Network& network, Channels& channels) {
    const Speeds speeds = speeds_of(network);
    std::vector<double> loads(speeds.of_link.size(), 0);
    std::vector<Channels::Crossing> crossings;
    for (const Transfer& message : draft.transfers) {
        channels.crossings(message.from, message.to, crossings);
        for (const Channels::Crossing& crossing : crossings) {
            if (crossing.channel < static_cast<Channel>(loads.size())) {
                loads[static_cast<std::size_t>(crossing.channel)] += crossing.part;
            }
        }
    }
    double bound = 0;
    std::size_t busiest = 0;
    for (std::size_t link = 0; link < loads.size() && speeds.known; ++link) {
        const double seconds = loads[link] / speeds.of_link[link];
        busiest = seconds > bound ? link : busiest;
        bound = std::max(bound, seconds);
    }
    const Cycle& cycle = *draft.cycle;
    if (!nearly_equal(cycle.bound_seconds_per_byte, bound)) {
        return Violation{
            fmt::format("The bound of the cycle is said to be {}, but {}.", claimed(cycle.bound_seconds_per_byte),
                        bound > 0      ? fmt::format("the busiest channel, {}, needs {}",
                                                     channels.name(static_cast<Channel>(busiest)), claimed(bound))
                        : speeds.known ? "no message crosses a link"
                                       : "no speed is known")};
    }
    const bool long_enough = cycle.seconds_per_byte >= bound || nearly_equal(cycle.seconds_per_byte, bound);
    if (!std::isfinite(cycle.seconds_per_byte) || !long_enough || (!speeds.known && cycle.seconds_per_byte != 0)) {
        return Violation{fmt::format("The cycle is said to take {}, but its bound is {}.",
                                     claimed(cycle.seconds_per_byte), claimed(bound))};
    }
    return std::nullopt;
}

std::string time_of(const ScheduleDraft& draft, const Transfer& message) {
    return draft.cycle ? fmt::format("at {:.6g} of the cycle",
                                     static_cast<double>(message.phase) / static_cast<double>(draft.ticks))
                       : fmt::format("in phase {}", message.phase);
}

bool nearly_equal(double left, double right) {
    constexpr double rounding = 1e-9;
    return std::abs(left - right) <= rounding * std::max(std::abs(left), std::abs(right));
}

}  // namespace aapc::check
