/// @file
/// What a start costs on a communicator, as far as it has been measured, and when it is measured again.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "selection/crossover.hpp"

namespace aapc::selection {

/// A start that was measured once is evidence and no verdict: other work on a core makes one take ten times as long,
/// and never less. So the least of all measurements counts. While it forbids calls that a start of least_start_seconds
/// would allow, it is measured again, ever more rarely. A function of what it is told: ranks that tell it the same
/// agree without asking.
class MeasuredStart {
  public:
    /// One more measurement, in seconds.
    void note(double seconds) {
        seconds = std::max(seconds, least_start_seconds);
        seconds_ = seconds_ ? std::min(*seconds_, seconds) : seconds;
    }
    /// The least so far, at least least_start_seconds; nullopt if nothing has been measured.
    [[nodiscard]] std::optional<double> seconds() const { return seconds_; }

    /// Counts a call that the start forbids and least_start_seconds would allow. Returns true if the start is to be
    /// measured again before it: at the first, second, fourth, eighth ... such call.
    [[nodiscard]] bool is_due_again() {
        ++forbidden_calls_;
        return (forbidden_calls_ & (forbidden_calls_ - 1)) == 0;
    }

  private:
    std::optional<double> seconds_;
    std::uint64_t forbidden_calls_ = 0;
};

}  // namespace aapc::selection
