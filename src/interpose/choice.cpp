#include "interpose/choice.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <limits>
#include <unordered_set>
#include <utility>

namespace aapc::interpose {

namespace {

constexpr std::string_view default_algorithm = "tree";
constexpr Rank fewest_participants = 3;  // two ranks have one schedule, and every MPI has found it

std::size_t machines_used(const Demand& demand) {
    return std::unordered_set<Machine>(demand.machine_of.begin(), demand.machine_of.end()).size();
}

std::string speed_text(double bits_per_second) {
    constexpr std::array<std::pair<double, std::string_view>, 4> prefixes = {
        {{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}}};
    for (const auto& [factor, prefix] : prefixes) {
        if (bits_per_second >= factor) {
            return fmt::format("{:g} {}bit/s", bits_per_second / factor, prefix);
        }
    }
    return fmt::format("{:g} bit/s", bits_per_second);
}

std::string bound_text(const Network& network, const Bound& bound) {
    const LinkLoad& busiest = bound.links.front();
    const Link& link = network.links()[static_cast<std::size_t>(busiest.link)];
    const auto name = [&](Vertex vertex) { return network.vertices()[static_cast<std::size_t>(vertex)].name; };
    return fmt::format("bound {} messages on {}-{} at {}", busiest.messages, name(link.lower), name(link.upper),
                       speed_text(link.bits_per_second));
}

/// How many times longer equal phases take than the links need.
double slowdown_by_equal_phases(const Bound& bound) {
    return static_cast<double>(bound.messages) * 8 / bound.slowest_bits_per_second / bound.seconds_per_byte;
}

}  // namespace

Decision::Decision(std::string reason) : ranges_{{0, Choice{}}}, reason_(std::move(reason)) {}

Decision::Decision(Choice choice, std::int64_t from_bytes, std::string reason)
    : ranges_{{0, Choice{}}, {from_bytes, choice}, {largest_scheduled_block + 1, Choice{}}},
      reason_(std::move(reason)) {}

std::size_t Decision::range_of(std::int64_t block_bytes) const {
    const auto after =
        std::upper_bound(ranges_.begin(), ranges_.end(), block_bytes,
                         [](std::int64_t bytes, const Range& range) { return bytes < range.from_bytes; });
    return static_cast<std::size_t>(after - ranges_.begin()) - 1;
}

Decision decide(const Network& network, const Demand& demand, const Bound& bound, const Forced& forced) {
    if (forced.native) {
        return Decision("AAPC_ALGORITHM says so");
    }
    if (demand.participants() < fewest_participants) {
        return Decision("with fewer than three ranks there is nothing to schedule");
    }
    if (machines_used(demand) < 2 || bound.links.empty()) {
        return Decision("all ranks are on one machine and no message crosses a link");
    }
    Choice choice{forced.algorithm, forced.variant, forced.synchronisation.value_or(Synchronisation::timed)};
    if (choice.algorithm == nullptr) {
        const auto algorithm = find_algorithm(default_algorithm);
        if (!algorithm || !(*algorithm)->is_for(network.kind())) {
            return Decision(fmt::format("no algorithm is chosen by itself on a {}", to_string(network.kind())));
        }
        choice.algorithm = *algorithm;
        if (slowdown_by_equal_phases(bound) > largest_slowdown_by_equal_phases) {
            return Decision(
                fmt::format("trunks are faster than ports and phases of equal length would take {:.1f} times the bound",
                            slowdown_by_equal_phases(bound)));
        }
    }
    if (choice.variant.empty()) {
        choice.variant = choice.algorithm->variants.front();
    }
    // A block of zero bytes is no message; whoever names an algorithm gets it for every other size.
    const std::int64_t from_bytes = forced.algorithm != nullptr ? 1 : smallest_scheduled_block;
    return Decision(choice, from_bytes, bound_text(network, bound));
}

std::string explain(const Demand& demand, const Decision& decision) {
    const std::size_t machines = machines_used(demand);
    const std::string where = fmt::format("communicator of {} rank{} on {} machine{}", demand.participants(),
                                          demand.participants() == 1 ? "" : "s", machines, machines == 1 ? "" : "s");
    const auto scheduled = std::find_if(decision.ranges().begin(), decision.ranges().end(),
                                        [](const Decision::Range& range) { return !range.choice.native(); });
    if (scheduled == decision.ranges().end()) {
        return fmt::format("{}: the MPI's own MPI_Alltoall: {}", where, decision.reason());
    }
    return fmt::format("{}: {}/{}, {}, for messages of {} bytes and more ({}); the MPI's own below", where,
                       scheduled->choice.algorithm->name, scheduled->choice.variant,
                       to_string(scheduled->choice.synchronisation), scheduled->from_bytes, decision.reason());
}

}  // namespace aapc::interpose
