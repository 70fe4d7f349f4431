/// @file
/// What calls have cost so far, and how much of it learning may cost.
#pragma once

#include <cstdint>

namespace aapc::learning {

/// Sums over calls; the same on all ranks.
struct Budget {
    std::int64_t calls = 0;
    double seconds = 0;  ///< of all calls, learning included
    /// Of learning: what explored candidates took longer than the winner, what setting them up took, and agreements.
    double spent_seconds = 0;

    Budget& operator+=(const Budget& other) {
        calls += other.calls;
        seconds += other.seconds;
        spent_seconds += other.spent_seconds;
        return *this;
    }
};

/// What learning may have spent by now: at most 5 % of the time from policy::first_calls on.
[[nodiscard]] double allowance(const Budget& budget);

}  // namespace aapc::learning
