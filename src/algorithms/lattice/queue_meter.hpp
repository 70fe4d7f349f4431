/// @file
/// How long queues get in a cycle: what lattices are chosen by. The certificate is the checker's, not this one's.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "algorithms/lattice/formula.hpp"
#include "algorithms/lattice/traffic.hpp"

namespace aapc::lattice {

/// Queues are counted in these parts of a message.
inline constexpr std::int64_t parts_of_message = 1024;

/// The start of a message at a channel.
struct Arrival {
    Tick tick = 0;
    std::int64_t inflow = 0;
};

/// The number at `index` in an order of 0 … count - 1 in which neighbours are far from each other: what of a network is
/// played first is then no corner of it. O(1).
[[nodiscard]] std::size_t scattered(std::size_t index, std::size_t count);

/// The size of a message, in speed times ticks: a whole cycle of `ticks` carries the busiest channel's messages and
/// `slack` thousandths more. At least 1.
[[nodiscard]] std::int64_t size_of_message(const BusyTime& busiest, Tick ticks, std::int64_t slack);

/// Two cycles of one channel of that speed as QueueMeter plays them: the longest queue, in parts of a message of that
/// size. Arrivals in ascending order of tick; `ends` is scratch. O(messages · log messages).
[[nodiscard]] std::int64_t longest_queue(std::span<const Arrival> arrivals, Tick ticks, std::int64_t message,
                                         std::int64_t speed, std::vector<Arrival>& ends);

/// Plays a cycle as a fluid: a message flows into a channel from its start on, at the speed of the slowest channel
/// before it (its own, if it is the first), and the channel serves at its own speed; what is more than that waits.
/// Whole numbers throughout. Space O(hops).
class QueueMeter {
  public:
    /// A cycle of (1 + slack/1000) times the busiest channel's time, divided into `ticks`, which times the largest
    /// speed must be below 2^56. Refers to `traffic`.
    /// Plays channels that carry some `most_messages` together, the busy ones first, evenly chosen; at least one.
    /// O(hops).
    QueueMeter(const Traffic& traffic, Tick ticks, std::int64_t slack,
               std::int64_t most_messages = std::numeric_limits<std::int64_t>::max());

    /// Whether all channels are played.
    [[nodiscard]] bool is_complete() const { return played_.size() == traffic_.channels(); }

    /// Forgets all messages.
    void clear();
    /// A message from one position to another; in ascending order of tick.
    void add(Position from, Position to, Tick tick);
    /// Two cycles of one channel: the longest queue, in parts of a message. O(messages · log messages).
    [[nodiscard]] std::int64_t longest_of(std::size_t channel);
    /// The longest of all channels that are played; stops early once it is longer than `enough`, and returns that.
    [[nodiscard]] std::int64_t longest(std::int64_t enough);
    /// Messages on channels that longest_of() has looked at since the beginning: the work it did.
    [[nodiscard]] std::int64_t work() const { return work_; }

  private:
    const Traffic& traffic_;
    Tick ticks_;
    std::int64_t message_;             ///< the size of one, in speed times ticks
    std::vector<std::size_t> played_;  ///< channels
    Ways ways_;                        ///< on channels that are played
    std::vector<std::size_t> begin_;   ///< by channel; only of those that are played, as all that follows
    std::vector<std::size_t> end_;
    std::vector<Arrival> starts_;
    std::vector<Arrival> ends_;
    std::int64_t work_ = 0;
};

}  // namespace aapc::lattice
