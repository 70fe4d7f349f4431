/// @file
/// What an exchange should take before anybody has measured it, for those who decide whether a try can pay.
#pragma once

#include <algorithm>
#include <cstdint>

#include "aapc/plan/pacing.hpp"
#include "aapc/topology/bound.hpp"
#include "selection/start.hpp"

namespace aapc::interposer {

/// Where one method ends and the next begins is a guess: what serves sizes so many times as small or large is a
/// candidate, too.
inline constexpr std::int64_t uncertainty_of_sizes = 4;

/// What ranks agree on while they set an exchange up: memory that those of a machine share, a communicator of its own,
/// complaints. Measured: 9 to 13 ms with 16 ranks at 100 and at 25 Mbit/s, 3 ms with 8 at 1 Gbit/s, under both MPIs.
/// O(1).
[[nodiscard]] inline double expected_set_up_seconds(const Bound& bound, int ranks, double message_seconds) {
    constexpr double collectives = 10;
    return collectives * selection::expected_agreement_seconds(bound, ranks, message_seconds);
}

/// The same where messages are unequal, and the call is agreed on once more, with what is on the wire. Measured: 5 to
/// 8 ms with 8 ranks at 1 Gbit/s; with 16 ranks at 25 and at 100 Mbit/s, on two cores for all of them, 18 to 44 ms
/// where all begin together and 30 to 84 ms in FFTW. A program of ten calls could not afford what it takes at worst.
/// O(1).
[[nodiscard]] inline double expected_unequal_set_up_seconds(const Bound& bound, int ranks, double message_seconds) {
    return 1.5 * expected_set_up_seconds(bound, ranks, message_seconds);
}

/// No exchange by the clock takes less, for one whose messages of `message_bytes` need `seconds` on the links without
/// headers: the clock goes by what they are on the wire, and begins with a start.
[[nodiscard]] inline double least_seconds_by_clock(double seconds, std::int64_t message_bytes, double start_seconds) {
    const auto bytes = static_cast<double>(std::max<std::int64_t>(message_bytes, 1));
    return seconds * static_cast<double>(wire_bytes(message_bytes)) / bytes + start_seconds;
}

/// An exchange of unequal messages by the clock as a prospect. Its call is agreed on, and it begins with a common
/// start, which is a collective, too; nobody has seen one come nearer to its bound. Measured in 88 settings, with what
/// is on the wire: 4 to 9 ms and 3 to 6 % more than the bound. O(1).
struct UnequalByClock {
    double least_seconds;
    double spread_seconds;  ///< so much more at most, in all likelihood
};
[[nodiscard]] inline UnequalByClock expected_unequal_by_clock(double seconds, std::int64_t message_bytes,
                                                              double start_seconds, double agreement_seconds) {
    constexpr double collectives = 2;
    constexpr double best_share_of_bound = 0.97;
    constexpr double usual_share_of_bound = 0.93;
    constexpr double more_collectives = 4;
    const double least = least_seconds_by_clock(seconds / best_share_of_bound, message_bytes, start_seconds);
    const double slower = least_seconds_by_clock(seconds / usual_share_of_bound, message_bytes, start_seconds);
    return {least + collectives * agreement_seconds, slower - least + more_collectives * agreement_seconds};
}

}  // namespace aapc::interposer
