/// @file
/// Which methods of a decision may serve blocks of some size, and what is known of them before the first call. The
/// interposer begins with it, and `aapc explain` shows it. Knows no MPI.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "aapc/methods/method.hpp"
#include "aapc/timetable/synchronisation.hpp"
#include "interposer/expectations.hpp"
#include "learning/prospect.hpp"
#include "selection/rule.hpp"

namespace aapc::interposer {

/// Beside the native routine.
inline constexpr std::size_t most_candidates = 3;

/// Calls `action` with the index of each range that blocks of about so many bytes may belong to, the one that they do
/// belong to first.
template <class Action>
void for_each_range_about(const selection::Decision& decision, std::int64_t block_bytes, Action action) {
    const std::size_t own = decision.range_of(block_bytes);
    const std::size_t first = decision.range_of(std::max<std::int64_t>(block_bytes / uncertainty_of_sizes, 1));
    const std::size_t last =
        decision.range_of(std::min(block_bytes * uncertainty_of_sizes, selection::largest_scheduled_block));
    action(own);
    for (std::size_t range = first; range <= last; ++range) {
        if (range != own) {
            action(range);
        }
    }
}

/// What a call by that method takes at least, if blocks of so many bytes need `bound_seconds`. 0: no more is known than
/// that it takes as long as the links need.
[[nodiscard]] inline double least_seconds_of(const Method& method, std::int64_t block_bytes, double bound_seconds,
                                             std::optional<double> said_start_seconds) {
    if (method.native() || method.synchronisation.kind != Synchronisation::Kind::timed || bound_seconds <= 0) {
        return 0;
    }
    return least_seconds_by_clock(bound_seconds, block_bytes, least_start(said_start_seconds));
}

/// What is known before the first call with blocks of so many bytes. `slot_of_range` has a number for each range of the
/// decision, the same for the same method; `prospect(number)` makes a candidate.
template <class MakeProspect>
[[nodiscard]] learning::Beginning beginning_about(const selection::Decision& decision,
                                                  const std::vector<std::size_t>& slot_of_range,
                                                  std::int64_t block_bytes, double bound_seconds,
                                                  MakeProspect prospect) {
    learning::Beginning found;
    const auto add = [&](std::size_t slot) {
        const bool is_known = std::any_of(found.prospects.begin(), found.prospects.end(),
                                          [&](const learning::Prospect& one) { return one.method == slot; });
        if (!is_known && found.prospects.size() <= most_candidates) {
            found.prospects.push_back(prospect(slot));
        }
    };
    add(slot_of_range[decision.range_of(0)]);  // blocks of no byte are always native
    for_each_range_about(decision, block_bytes, [&](std::size_t range) { add(slot_of_range[range]); });
    found.size = block_bytes;
    found.least_seconds = bound_seconds;
    return found;
}

}  // namespace aapc::interposer
