/// @file
/// One link and what flows into it, cycle after cycle.
#pragma once

#include <vector>

namespace aapc::check {

/// Of the largest segment: a shorter queue is rounding.
inline constexpr double least_queue = 1e-9;

/// Time is in ticks of the cycle, from 0 up to its length.
class QueueProcess {
  public:
    /// A link that serves `capacity` bytes a tick.
    QueueProcess(double cycle, double capacity) : cycle_(cycle), capacity_(capacity) {}

    /// Something of `bytes` that flows in from `start` on, at `rate` bytes a tick, in every cycle.
    void add(double start, double rate, double bytes);

    struct Longest {
        double bytes = 0;
        double at = 0;
    };
    /// The longest queue in the steady state, which the second cycle from an empty queue is already: no more flows in
    /// during a cycle than the link serves (the caller's promise), so a queue that was there a cycle ago has been
    /// empty since. The first moment of it. O(n log n); forgets what was added.
    /// Appends to `found`, if it is not null, the queue at every start.
    [[nodiscard]] Longest longest(std::vector<double>* found = nullptr);

  private:
    struct Event {
        double time;
        double rate;  ///< by which what flows in grows
        friend bool operator<(const Event& left, const Event& right) {
            return left.time != right.time ? left.time < right.time : left.rate < right.rate;
        }
    };
    double cycle_;
    double capacity_;
    double rate_at_begin_ = 0;  ///< of what started in the cycle before
    std::vector<Event> events_;
};

}  // namespace aapc::check
