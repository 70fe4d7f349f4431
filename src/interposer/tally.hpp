/// @file
/// Counts of the all-to-alls of a program, for AAPC_VERBOSE=2 and programs that ask.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "interposer/routines.hpp"

namespace aapc::interposer {

/// Calls of one process by routine and outcome. Any thread may add at any time.
class Tally {
  public:
    struct Total {
        std::int64_t calls = 0;
        std::int64_t bytes = 0;        ///< that this process sent, to itself included; 0 where nothing is measured
        std::int64_t nanoseconds = 0;  ///< spent in the calls; 0 where nothing is measured
    };
    /// [routine · outcome_count + outcome]
    using Totals = std::array<Total, routine_count * outcome_count>;

    /// Whether bytes and times are wanted besides the calls: they cost two readings of a clock.
    [[nodiscard]] bool measures() const { return measures_; }
    /// Before the first call.
    void measure() { measures_ = true; }

    /// Before the first call: no two threads call at once.
    void use_from_one_thread() { one_thread_ = true; }

    void count(Routine routine, Outcome outcome) {
        std::atomic<std::int64_t>& calls = at(routine, outcome).calls;
        if (one_thread_) {
            calls.store(calls.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
        } else {
            calls.fetch_add(1, std::memory_order_relaxed);
        }
    }
    void add(Routine routine, Outcome outcome, std::int64_t bytes, std::int64_t nanoseconds);

    [[nodiscard]] Totals totals() const;

  private:
    struct Entry {
        std::atomic<std::int64_t> calls = 0;
        std::atomic<std::int64_t> bytes = 0;
        std::atomic<std::int64_t> nanoseconds = 0;
    };
    [[nodiscard]] Entry& at(Routine routine, Outcome outcome) {
        return entries_[static_cast<std::size_t>(routine) * outcome_count + static_cast<std::size_t>(outcome)];
    }

    bool measures_ = false;
    bool one_thread_ = false;
    std::array<Entry, routine_count * outcome_count> entries_;
};

/// Calls that were exchanged, and that were passed through.
struct CallCounts {
    std::int64_t exchanged = 0;
    std::int64_t passed_through = 0;
};
[[nodiscard]] CallCounts call_counts(const Tally::Totals& totals);

/// A line for each routine that was called: how often, with how many bytes and in what time a rank, by outcome.
/// `totals` are sums over `ranks` ranks.
[[nodiscard]] std::vector<std::string> describe(const Tally::Totals& totals, int ranks);

}  // namespace aapc::interposer
