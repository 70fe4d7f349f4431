#include "check/queue_process.hpp"

#include <algorithm>
#include <cmath>

namespace aapc::check {

void QueueProcess::add(double start, double rate, double bytes) {
    // What flows for longer than a cycle flows all the time, several times over, and a part of the time once more.
    const double duration = bytes / rate;
    const double rounds = std::floor(duration / cycle_);
    const double part = duration - rounds * cycle_;
    rate_at_begin_ += rounds * rate;
    if (part <= 0) {
        return;
    }
    events_.push_back({start, rate});
    const double end = start + part;
    if (end < cycle_) {
        events_.push_back({end, -rate});
    } else if (end > cycle_) {
        rate_at_begin_ += rate;
        events_.push_back({end - cycle_, -rate});
    }
}

QueueProcess::Longest QueueProcess::longest(std::vector<double>* found) {
    std::sort(events_.begin(), events_.end());
    Longest longest;
    // Of moments that are equal but for rounding, the first.
    const auto keep = [&longest](double bytes, double at) {
        if (bytes > longest.bytes * (1 + 1e-12)) {
            longest = {bytes, at};
        }
    };
    double queue = 0;
    for (const bool is_steady : {false, true}) {
        double rate = rate_at_begin_;
        double time = 0;
        for (const Event& event : events_) {
            queue = std::max(0.0, queue + (rate - capacity_) * (event.time - time));
            if (is_steady) {
                keep(queue, event.time);
                if (found != nullptr && event.rate > 0) {
                    found->push_back(queue);
                }
            }
            rate += event.rate;
            time = event.time;
        }
        queue = std::max(0.0, queue + (rate - capacity_) * (cycle_ - time));
        if (is_steady) {
            keep(queue, 0);  // the end of a cycle is the beginning of the next
        }
    }
    events_.clear();
    rate_at_begin_ = 0;
    return longest;
}

}  // namespace aapc::check
