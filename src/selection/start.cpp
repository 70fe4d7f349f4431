#include "selection/start.hpp"

#include <algorithm>
#include <bit>

namespace aapc::selection {

namespace {

double messages_of_collective(std::int64_t ranks) {
    return static_cast<double>(std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(ranks - 1, 1))));
}

/// What links take for a collective. A frame of 8 bytes and its headers has about 1,000 bits. A message between
/// clusters crosses the links of two of them.
double seconds_on_links(const Bound& bound, std::int64_t ranks) {
    constexpr double bits = 1e3;
    const double message = bound.slowest_bits_per_second > 0 ? bits / bound.slowest_bits_per_second : 0;
    return messages_of_collective(ranks) * message + 2 * bound.latency_seconds;
}

}  // namespace

double message_seconds_of(double seconds, const Bound& bound, std::int64_t ranks) {
    constexpr double least = usual_message_seconds / 10;
    constexpr double most = usual_message_seconds * 10;
    return std::clamp((seconds - seconds_on_links(bound, ranks)) / messages_of_collective(ranks), least, most);
}

double expected_agreement_seconds(const Bound& bound, std::int64_t ranks, double message_seconds) {
    return messages_of_collective(ranks) * message_seconds + seconds_on_links(bound, ranks);
}

StartCosts start_costs(const Bound& bound, std::int64_t ranks, double message_seconds,
                       std::optional<double> said_seconds) {
    if (said_seconds) {
        return {*said_seconds, *said_seconds};
    }
    // A slow one may be that of an odd moment, which is no reason to try no schedule: calls show what they take.
    const double seconds = std::min(message_seconds, usual_message_seconds);
    const double reduction = expected_agreement_seconds(bound, ranks, seconds);
    return {least_reductions_of_start * reduction, usual_reductions_of_start * reduction};
}

double expected_start_seconds(const Bound& bound, std::int64_t ranks) {
    return start_costs(bound, ranks, usual_message_seconds).usual_seconds;
}

}  // namespace aapc::selection
