/// @file
/// The plan: what one rank does, computed by that rank alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "aapc/synchronisation.hpp"
#include "aapc/timetable.hpp"

namespace aapc {

/// A synchronisation message at one end. Tokens between an ordered pair of ranks are told apart by their order alone
/// (both ends list them in the same order), so one tag serves all.
struct Token {
    std::int32_t step = 0;  ///< index into Plan::sends or Plan::receives, as the field that holds the token says
    Rank peer = -1;         ///< the other process

    friend bool operator==(const Token&, const Token&) = default;
    friend auto operator<=>(const Token&, const Token&) = default;
};

/// What one rank does, in order.
struct Plan {
    Rank rank = -1;
    Rank participants = 0;
    Phase phases = 0;
    Synchronisation synchronisation = Synchronisation::none;
    std::vector<Transfer> sends;     ///< in order of phase; P-1 of them
    std::vector<Transfer> receives;  ///< in order of phase; P-1 of them
    /// Before sends[step] starts, a token from `peer` must have come. Sorted by step.
    std::vector<Token> waits;
    /// `sender`: once sends[step] and all earlier sends are locally complete, a token goes to `peer`.
    /// `receiver`: once receives[step] and all earlier receives are complete. Sorted by step. A token to oneself is a
    /// condition, not a message, and stands in both lists.
    std::vector<Token> signals;

    /// Heap bytes held, for the memory promise.
    [[nodiscard]] std::size_t bytes() const;
};

/// Computes the plan of `rank` from the timetable alone, without the table of all messages; tokens by the pair rule.
/// O(P·D·log P) time, O(P) space plus the tokens.
[[nodiscard]] Plan make_plan(const Timetable& timetable, Rank rank, Synchronisation synchronisation);

/// The same plan cut out of the whole table, for tests and for the generator. `edges` as synchronisation_edges() gives
/// them.
[[nodiscard]] Plan plan_from_schedule(const Schedule& schedule, const std::vector<Edge>& edges, Rank rank,
                                      Synchronisation synchronisation);

}  // namespace aapc
