/// @file
/// What the calls of one candidate have cost.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace aapc::learning {

/// Evidence on one candidate. Functions of its costs need a sample at least. None asks for memory, except a copy.
struct Evidence {
    std::vector<double> samples;  ///< costs since the epoch began, oldest first, for the size of the class; with room
    bool is_cold = false;         ///< the only sample is of a first call after a change of method
    bool led_before = false;      ///< it was the winner when the epoch began
    bool withdrawn = false;       ///< it cannot be set up
    bool was_set_up = false;
    std::int64_t measured = 0;   ///< calls, in all epochs
    std::int64_t next_look = 0;  ///< the call from which on it may be tried again
    std::int64_t look = 1;       ///< calls of its next block

    /// Has room for all samples from then on. Throws std::bad_alloc.
    void reserve();
    /// Keeps at most policy::samples_kept.
    void add(double seconds);
    /// The mean of the latest seven samples. Accidents are left out if they are a third of them or less.
    [[nodiscard]] double typical() const;
    /// typical(); of many samples the mean without the greatest: a program waits for the sum of its calls, and one call
    /// in eight that is very slow does not show in medians. One accident is left out.
    [[nodiscard]] double usual() const;
    /// Relative spread of the samples about their median; the prior weighs as much as two samples.
    [[nodiscard]] double spread() const;
    /// True if it takes less on average, with all its accidents, than `other` does without its greatest. False if there
    /// are few samples.
    [[nodiscard]] bool is_ahead_on_average_of(const Evidence& other) const;
    /// Median of the first `count` samples, at least one.
    [[nodiscard]] double median_of_first(std::size_t count) const;
    /// Median of the last `count` samples, at least one.
    [[nodiscard]] double median_of_last(std::size_t count) const;
};

}  // namespace aapc::learning
