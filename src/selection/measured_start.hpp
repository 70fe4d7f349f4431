/// @file
/// What a start costs on a communicator, as far as it has been measured, and when it is measured again.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

namespace aapc::selection {

/// A start that was measured once is evidence and no verdict: other work on a core makes one take ten times as long,
/// and never less. So the least of all measurements counts. While it forbids calls that the least start
/// (StartCosts::least_seconds) would allow, it is measured again, ever more rarely. A function of what it is told:
/// ranks that tell it the same agree without asking.
class MeasuredStart {
  public:
    /// No measurement counts for less than `least_seconds`.
    explicit MeasuredStart(double least_seconds) : least_seconds_(least_seconds) {}

    /// One more measurement, in seconds.
    void note(double seconds) {
        seconds = std::max(seconds, least_seconds_);
        seconds_ = seconds_ ? std::min(*seconds_, seconds) : seconds;
    }
    /// The least so far; nullopt if nothing has been measured.
    [[nodiscard]] std::optional<double> seconds() const { return seconds_; }

    /// Counts a call that the start forbids and the least one would allow. Returns true if the start is to be
    /// measured again before it: at the first, second, fourth, eighth ... such call.
    [[nodiscard]] bool is_due_again() {
        ++forbidden_calls_;
        return (forbidden_calls_ & (forbidden_calls_ - 1)) == 0;
    }

  private:
    double least_seconds_;
    std::optional<double> seconds_;
    std::uint64_t forbidden_calls_ = 0;
};

}  // namespace aapc::selection
