/// @file
/// What calls have taken so far, and how much of it learning may cost.
#pragma once

#include <cstdint>

namespace aapc::learning {

/// Sums over calls; agreed among ranks, or a function of what is.
struct Account {
    std::int64_t calls = 0;
    double seconds = 0;  ///< of all calls, learning included
    /// Of learning: what explored candidates took longer than the winner, what setting them up took, and agreements.
    double spent_seconds = 0;

    Account& operator+=(const Account& other) {
        calls += other.calls;
        seconds += other.seconds;
        spent_seconds += other.spent_seconds;
        return *this;
    }
};

/// From this call on learning is held to a share of the time so far; before, to so many calls' time.
inline constexpr std::int64_t calls_before_the_share = 10;
inline constexpr double calls_spent_before_the_share = 0.6;
/// The share of the first calls_of_the_first_share calls, and that of all calls after them.
inline constexpr double first_share = 0.04;
inline constexpr double later_share = 0.016;
inline constexpr std::int64_t calls_of_the_first_share = 100;

/// What learning may have spent by now. Never more than 5 % of the time once calls_before_the_share have passed.
[[nodiscard]] double allowance(const Account& account);

}  // namespace aapc::learning
