/// @file
/// The timetable: what an algorithm yields. It answers questions about single ranks without a table of all messages, so
/// that one rank of thousands can compute its own part, and the whole table (aapc/check/schedule.hpp) is merely all
/// answers written down.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aapc/topology/network.hpp"

namespace aapc {

/// Phases are 64-bit: a tree of P ranks has up to P²/4 of them. Of a timetable that has a cycle instead of phases it is
/// a tick of that cycle (Timetable::cycle()).
using Phase = std::int64_t;

/// One message on its way. A direct algorithm moves the block from→to; what a store-and-forward algorithm moves,
/// Timetable::append_blocks() says.
struct Transfer {
    Phase phase = 0;
    Rank from = -1;
    Rank to = -1;

    friend bool operator==(const Transfer&, const Transfer&) = default;
    friend auto operator<=>(const Transfer&, const Transfer&) = default;
};

/// The data that one rank has for another, wherever it is at the moment.
struct Block {
    Rank origin = -1;
    Rank destination = -1;

    friend bool operator==(const Block&, const Block&) = default;
    friend auto operator<=>(const Block&, const Block&) = default;
};

/// What the phases of a timetable promise, from the most to the least. The checker proves it.
enum class Guarantee : std::uint8_t {
    shortest,         ///< contention-free, and no more phases than messages on the busiest directed link
    contention_free,  ///< no directed link, and no rank's port, is used twice in a phase
    /// No link is asked for more than it carries in a cycle; how long queues get, the certificate says. For timetables
    /// with a cycle (Timetable::cycle()).
    within_capacity,
    one_port,  ///< no rank sends twice or receives twice in a phase
    nothing,   ///< only that every block arrives
};

/// Whether it includes that of contention-free phases.
[[nodiscard]] constexpr bool is_contention_free(Guarantee guarantee) { return guarantee <= Guarantee::contention_free; }

/// "shortest", "contention-free", "within-capacity", "one-port", "nothing".
[[nodiscard]] std::string_view to_string(Guarantee guarantee);

/// The cycle of a timetable that has one instead of phases: every message starts at its tick, on a grid that repeats.
struct Cycle {
    /// The length of a cycle for messages of one byte, on raw link speeds; 0 where speeds are not known.
    double seconds_per_byte = 0;
    /// What no cycle can be shorter than: max over directed links of messages · 8 / speed; 0 where it is not known.
    double bound_seconds_per_byte = 0;

    /// How many times as long as the bound it is; 1 where the bound is not known.
    [[nodiscard]] double over_bound() const {
        return bound_seconds_per_byte > 0 ? seconds_per_byte / bound_seconds_per_byte : 1;
    }
    friend bool operator==(const Cycle&, const Cycle&) = default;
};

/// An algorithm applied to one network and one placement. Immutable and safe to share between threads.
class Timetable {
  public:
    Timetable() = default;
    Timetable(const Timetable&) = delete;
    Timetable& operator=(const Timetable&) = delete;
    virtual ~Timetable() = default;

    [[nodiscard]] virtual Rank participants() const = 0;
    [[nodiscard]] virtual Phase phases() const = 0;
    [[nodiscard]] virtual Guarantee guarantee() const = 0;

    /// The cycle of a timetable without phases; nothing for one with phases. Where there is a cycle, phases() is the
    /// number of ticks in it, Transfer::phase is the tick at which a message starts (the fraction tick / phases() of
    /// the cycle), and sends_of() and receives_of() are in order of tick, with any number of transfers a tick. Ticks
    /// are whole numbers, so that all ranks agree on them by construction; there may be 2^52 of them and more, so
    /// nothing may loop over them.
    [[nodiscard]] virtual std::optional<Cycle> cycle() const { return std::nullopt; }

    /// What `rank` sends, in order of phase: one transfer a phase at most. O(participants · log participants).
    [[nodiscard]] virtual std::vector<Transfer> sends_of(Rank rank) const = 0;
    /// What `rank` receives, in order of phase, then sender; one transfer a phase at most unless the guarantee is
    /// `nothing`. O(participants · log participants).
    [[nodiscard]] virtual std::vector<Transfer> receives_of(Rank rank) const = 0;

    /// What a person should know of how it was made, as a sentence; mostly nothing.
    [[nodiscard]] virtual std::string remark() const { return {}; }

    /// Whether messages carry other ranks' blocks.
    [[nodiscard]] virtual bool forwards() const { return false; }
    /// Appends the blocks that `transfer` carries, in the order in which they lie in the message.
    virtual void append_blocks(const Transfer& transfer, std::vector<Block>& out) const {
        out.push_back({transfer.from, transfer.to});
    }

    /// For every directed link on the route of `transfer`: the last transfer before it, in phase order, that uses that
    /// link too. Appended to `out`; duplicates are possible. These are the only orders a synchronisation must enforce
    /// (docs/decisions.md says why). Nothing where phases are not contention-free.
    virtual void append_previous_users(const Transfer& /*transfer*/, std::vector<Transfer>& /*out*/) const {}
    /// The same for the first transfer after it.
    virtual void append_next_users(const Transfer& /*transfer*/, std::vector<Transfer>& /*out*/) const {}

    /// The ranks whose machines hang from the same switch as that of `rank`, itself included, in ascending order: those
    /// that can exchange messages without leaving it. O(participants).
    [[nodiscard]] virtual std::vector<Rank> ranks_of_switch(Rank rank) const { return {rank}; }
};

}  // namespace aapc
