#include "algorithms/lattice/queue_meter.hpp"

#include <algorithm>

namespace aapc::lattice {

namespace {

/// All channels in order, or those that carry so many messages together: those first that are busy for three
/// quarters of the busiest one's time, and of these (on a torus all may be) scattered() ones.
std::vector<std::size_t> channels_to_play(const Traffic& traffic, std::int64_t most_messages) {
    const std::size_t channels = traffic.channels();
    std::vector<std::size_t> order(channels);
    for (std::size_t index = 0; index < channels; ++index) {
        order[index] = traffic.hops() <= most_messages ? index : scattered(index, channels);
    }
    if (traffic.hops() <= most_messages) {
        return order;
    }
    const BusyTime busiest = traffic.busiest();
    const auto is_busy = [&](std::size_t channel) {
        return 3 * busiest.messages * traffic.speed(channel) <= 4 * traffic.load(channel) * busiest.speed;
    };
    std::stable_partition(order.begin(), order.end(), is_busy);
    std::int64_t messages = 0;
    std::size_t count = 0;
    while (count < channels && (count == 0 || messages + traffic.load(order[count]) <= most_messages)) {
        messages += traffic.load(order[count++]);
    }
    order.resize(count);
    return order;
}

}  // namespace

std::size_t scattered(std::size_t index, std::size_t count) {
    constexpr std::size_t stride = 1009;  // a prime, which has nothing to do with the sides of a network
    return count % stride == 0 ? index : index * stride % count;
}

std::int64_t size_of_message(const BusyTime& busiest, Tick ticks, std::int64_t slack) {
    if (busiest.messages == 0) {
        return 1;
    }
    const std::int64_t size = ticks * busiest.speed / busiest.messages;
    return std::max<std::int64_t>(size / (1000 + slack) * 1000 + size % (1000 + slack) * 1000 / (1000 + slack), 1);
}

std::int64_t longest_queue(std::span<const Arrival> arrivals, Tick ticks, std::int64_t message, std::int64_t speed,
                           std::vector<Arrival>& ends) {
    ends.clear();
    std::int64_t inflow = 0;     // at tick 0: of what began in the cycle before
    Arrival before{message, 1};  // how long the message before took to flow in, and how fast it did
    for (const Arrival& start : arrivals) {
        if (start.inflow != before.inflow) {
            before = {message / start.inflow, start.inflow};
        }
        Tick end = start.tick + before.tick;
        if (end >= ticks) {
            end -= ticks;
            inflow += start.inflow;
        }
        ends.push_back({end, start.inflow});
    }
    const auto earlier = [](const Arrival& left, const Arrival& right) { return left.tick < right.tick; };
    // With one speed of inflow the ends are in order, but for those that wrapped around.
    const auto wrapped = std::is_sorted_until(ends.begin(), ends.end(), earlier);
    std::rotate(ends.begin(), wrapped, ends.end());
    if (!std::is_sorted(ends.begin(), ends.end(), earlier)) {
        std::sort(ends.begin(), ends.end(), earlier);
    }
    std::int64_t queue = 0;
    std::int64_t longest = 0;
    Tick now = 0;
    const auto advance = [&](Tick tick) {
        queue = std::max<std::int64_t>(queue + (inflow - speed) * (tick - now), 0);
        longest = std::max(longest, queue);
        now = tick;
    };
    const auto in_parts = [&] { return longest / std::max<std::int64_t>(message / parts_of_message, 1); };
    for (const bool is_steady : {false, true}) {
        now = 0;
        std::size_t next_end = 0;
        for (const Arrival& start : arrivals) {
            if (is_steady && queue == 0) {
                return in_parts();  // from here on all is as in the cycle before
            }
            for (; next_end < ends.size() && ends[next_end].tick <= start.tick; ++next_end) {
                advance(ends[next_end].tick);
                inflow -= ends[next_end].inflow;
            }
            advance(start.tick);
            inflow += start.inflow;
        }
        for (; next_end < ends.size(); ++next_end) {
            advance(ends[next_end].tick);
            inflow -= ends[next_end].inflow;
        }
        advance(ticks);
    }
    return in_parts();
}

QueueMeter::QueueMeter(const Traffic& traffic, Tick ticks, std::int64_t slack, std::int64_t most_messages)
    : traffic_(traffic),
      ticks_(ticks),
      message_(size_of_message(traffic.busiest(), ticks, slack)),
      played_(channels_to_play(traffic, most_messages)),
      begin_(traffic.channels(), 0) {
    std::vector<bool> is_played(traffic.channels(), false);
    std::size_t total = 0;
    for (const std::size_t channel : played_) {
        is_played[channel] = true;
        begin_[channel] = total;
        total += static_cast<std::size_t>(traffic.load(channel));
    }
    ways_ = traffic.ways_on(is_played);
    starts_.resize(total);
    clear();
}

void QueueMeter::clear() { end_ = begin_; }

void QueueMeter::add(Position from, Position to, Tick tick) {
    for (const Hop& hop : ways_.of(traffic_.pair(from, to))) {
        starts_[end_[static_cast<std::size_t>(hop.channel)]++] = {tick, hop.inflow};
    }
}

std::int64_t QueueMeter::longest_of(std::size_t channel) {
    const std::size_t begin = begin_[channel];
    const std::size_t count = end_[channel] - begin;
    work_ += static_cast<std::int64_t>(count);
    return longest_queue({starts_.data() + begin, count}, ticks_, message_, traffic_.speed(channel), ends_);
}

std::int64_t QueueMeter::longest(std::int64_t enough) {
    std::int64_t worst = 0;
    for (auto channel = played_.begin(); channel != played_.end() && worst <= enough; ++channel) {
        worst = std::max(worst, longest_of(*channel));
    }
    return worst;
}

}  // namespace aapc::lattice
