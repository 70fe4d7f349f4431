/// @file
/// Why a method serves the calls of a size: the evidence, the state, what is left of the exploration budget, and what
/// would change the choice. `aapc explain` and AAPC_VERBOSE print it, in the words of docs/learning.md.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "learning/trials.hpp"

namespace aapc::learning {

/// What keeps a candidate from serving, or that it serves.
enum class Standing : std::uint8_t {
    serves,               ///< the winner
    on_trial,             ///< a block of it is filled or in flight
    waits_for_evidence,   ///< the opening is not over: the cost of native calls is not known
    waits_for_its_look,   ///< it lost; it is tried again from a certain call on
    cannot_gain,          ///< its least time is no less than what the winner takes
    not_worth_its_price,  ///< so many calls would not gain what a trial is expected to cost
    over_budget,          ///< the exploration budget does not allow the trial yet
    due,                  ///< the next call that is decided may try it
    withdrawn,            ///< it could not be set up
};

/// One candidate.
struct CandidateReason {
    std::size_t method = 0;  ///< Prospect::method
    Standing standing = Standing::serves;
    std::size_t samples = 0;
    bool knows_first_call_only = false;     ///< the native routine's first call of all is its only sample
    std::optional<double> typical_seconds;  ///< by its samples; nullopt if it has none
    double least_seconds = 0;               ///< prior: a call takes no less; 0 if not known
    double most_seconds = 0;                ///< prior: nor, most likely, more; 0 if not known
    std::int64_t calls_until_look = 0;      ///< of waits_for_its_look
};

/// Of one class.
struct Reasons {
    State state = State::opening;
    std::int64_t size = 0;                    ///< as in Trials
    std::int64_t calls = 0;                   ///< so far, inherited ones included
    double bound_seconds = 0;                 ///< of a call; 0 if not known
    double budget_seconds = 0;                ///< that learning may still spend; below 0 if it has spent more
    double share_of_ranks = 1;                ///< as in Beginning
    std::vector<CandidateReason> candidates;  ///< as the prospects are: the native routine first
};

/// `others`: of all that shares the budget. Throws std::bad_alloc. O(candidates * samples).
[[nodiscard]] Reasons reasons(const Trials& trials, const Budget& others);

/// One sentence for people, without its end: "tree serves: 198 ms in 12 samples, native 370 ms in 3; exploit, ...".
/// `name` gives a method's name. Throws std::bad_alloc.
[[nodiscard]] std::string words(const Reasons& reasons, const std::function<std::string(std::size_t method)>& name);

/// The name of a state, as docs/learning.md has it: "opening".
[[nodiscard]] std::string_view name_of(State state);
/// For programs: "waits_for_its_look".
[[nodiscard]] std::string_view name_of(Standing standing);

}  // namespace aapc::learning
