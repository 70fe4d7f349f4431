/// @file
/// The timetable: what an algorithm yields. It answers questions about single ranks without a table of all messages, so
/// that one rank of thousands can compute its own part, and the whole table (aapc/schedule.hpp) is merely all answers
/// written down.
#pragma once

#include <cstdint>
#include <vector>

#include "aapc/network.hpp"

namespace aapc {

/// Phases are 64-bit: a tree of P ranks has up to P²/4 of them.
using Phase = std::int64_t;

/// One message on its way. A direct algorithm moves the block from→to; a store-and-forward algorithm will list the
/// blocks it moves in a field of its own.
struct Transfer {
    Phase phase = 0;
    Rank from = -1;
    Rank to = -1;

    friend bool operator==(const Transfer&, const Transfer&) = default;
    friend auto operator<=>(const Transfer&, const Transfer&) = default;
};

/// An algorithm applied to one network and one demand. Immutable and safe to share between threads.
class Timetable {
  public:
    Timetable() = default;
    Timetable(const Timetable&) = delete;
    Timetable& operator=(const Timetable&) = delete;
    virtual ~Timetable() = default;

    [[nodiscard]] virtual Rank participants() const = 0;
    [[nodiscard]] virtual Phase phases() const = 0;

    /// What `rank` sends, in order of phase: one transfer a phase at most. O(participants · log participants).
    [[nodiscard]] virtual std::vector<Transfer> sends_of(Rank rank) const = 0;
    /// What `rank` receives, in order of phase. O(participants · log participants).
    [[nodiscard]] virtual std::vector<Transfer> receives_of(Rank rank) const = 0;

    /// For every directed link on the route of `transfer`: the last transfer before it, in phase order, that uses that
    /// link too. Appended to `out`; duplicates are possible. These are the only orders a synchronisation must enforce
    /// (DESIGN.md, "Synchronisation").
    virtual void append_previous_users(const Transfer& transfer, std::vector<Transfer>& out) const = 0;
    /// The same for the first transfer after it.
    virtual void append_next_users(const Transfer& transfer, std::vector<Transfer>& out) const = 0;
};

}  // namespace aapc
