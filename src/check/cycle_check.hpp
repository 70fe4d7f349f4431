/// @file
/// Drafts with a cycle instead of phases: their form, and the length of the cycle.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "aapc/check/schedule.hpp"
#include "check/channels.hpp"

namespace aapc::check {

/// Bytes a second of each directed link. Where no speed is known all links are alike, one byte a second each, so that
/// times are numbers of messages; `known` says which it is.
struct Speeds {
    std::vector<double> of_link;  ///< index: DirectedLink
    /// What a single message can have of it: of a bundle one cable.
    std::vector<double> of_message;
    bool known = true;
};
[[nodiscard]] Speeds speeds_of(const Network& network);

/// Whether a draft with a cycle has no phases and no blocks, promises `within-capacity`, and has its messages in order,
/// each between two participants, at a tick of the cycle. O(messages).
[[nodiscard]] std::optional<Violation> check_cycle_form(const ScheduleDraft& draft, const Network& network,
                                                        const Placement& placement);

/// Whether the bound of the cycle is what the busiest directed link needs for one byte from everybody to everybody, and
/// the cycle is no shorter. Both must be 0 where speeds are not known. O(messages · route length).
[[nodiscard]] std::optional<Violation> check_cycle_length(const ScheduleDraft& draft, const Network& network,
                                                          Channels& channels);

/// "in phase 3", "at 0.25 of the cycle".
[[nodiscard]] std::string time_of(const ScheduleDraft& draft, const Transfer& message);

/// Whether two numbers of seconds are the same, but for the rounding of those who computed them.
[[nodiscard]] bool nearly_equal(double left, double right);

}  // namespace aapc::check
