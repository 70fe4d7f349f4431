/// @file
/// Tickets: they limit a machine to K messages at a time (`ports:K`). The part that knows no MPI.
///
/// The messages that the ranks of a machine send to other machines stand in one queue, in the order of their phases and
/// within a phase by sender and receiver (Plan::Tickets); those that they receive stand in another. A message is
/// started at either end when all before it in that end's queue have been started there and fewer than K of them are
/// not yet complete. A sender waits, besides, for a token that the receiver sends when it has started: the content is
/// on the wire only while both ends hold a ticket. (Sanders & Träff 2002 have one exchange per node and step; K is
/// their generalisation to several ports.)
///
/// It cannot deadlock. All queues follow one order of all messages. Of those that are incomplete take the first, m. All
/// messages before m in the queue of either end precede it in that order, so they are complete; and none after m has
/// been started there, because each queue is strict. So only m can be in progress in either queue: the receiver may
/// start it and sends the token, the sender may start it, and both complete it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "aapc/timetable/timetable.hpp"

namespace aapc::machine {

/// Bytes that a processor passes between its cores as one, twice over: some fetch pairs of them.
inline constexpr std::size_t cache_lines = 128;

/// A queue as the ranks of a machine share it. Counts over all calls on a communicator and is never set back. Zeros are
/// a valid initial state.
struct PortQueue {
    alignas(cache_lines) std::atomic<std::uint64_t> started{0};
    alignas(cache_lines) std::atomic<std::uint64_t> complete{0};
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "processes cannot share a lock");

/// One rank's messages in a queue, during one call.
class Turns {
  public:
    /// `turns`: for each of the rank's messages, in its order, how many of the machine's stand before it in this call;
    /// ascending. `before`: messages of earlier calls. At most `ports` (> 0) at a time. `queue` and `turns` outlive it.
    Turns(PortQueue& queue, std::span<const std::int64_t> turns, std::uint64_t before, Phase ports)
        : queue_(queue), turns_(turns), before_(before), ports_(static_cast<std::uint64_t>(ports)) {}

    [[nodiscard]] std::size_t started() const { return started_; }
    [[nodiscard]] std::size_t completed() const { return complete_; }
    [[nodiscard]] bool all_complete() const { return complete_ == turns_.size(); }

    /// Whether there is a next message and it may be started.
    [[nodiscard]] bool next_may_start() const;
    /// next_may_start() holds.
    void start_next();
    /// The oldest message in progress is complete.
    void complete_oldest();

  private:
    [[nodiscard]] std::uint64_t next_turn() const { return before_ + static_cast<std::uint64_t>(turns_[started_]); }

    PortQueue& queue_;
    std::span<const std::int64_t> turns_;
    std::uint64_t before_;
    std::uint64_t ports_;
    std::size_t started_ = 0;
    std::size_t complete_ = 0;
};

}  // namespace aapc::machine
