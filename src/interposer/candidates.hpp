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

/// The methods of a decision, each once, in the order of their first ranges.
struct NumberedMethods {
    std::vector<Method> methods;
    std::vector<std::size_t> of_range;  ///< index into methods for each range of the decision
};

/// Throws std::bad_alloc.
[[nodiscard]] inline NumberedMethods numbered_methods(const selection::Decision& decision) {
    NumberedMethods numbered;
    for (const selection::Decision::Range& range : decision.ranges()) {
        const auto known = std::find(numbered.methods.begin(), numbered.methods.end(), range.method);
        numbered.of_range.push_back(static_cast<std::size_t>(known - numbered.methods.begin()));
        if (known == numbered.methods.end()) {
            numbered.methods.push_back(range.method);
        }
    }
    return numbered;
}

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

/// What a call by that method takes at least, if blocks of so many bytes need `bound_seconds` and a start by the clock
/// takes at least `start_seconds`. 0: no more is known than that it takes as long as the links need.
[[nodiscard]] inline double least_seconds_of(const Method& method, std::int64_t block_bytes, double bound_seconds,
                                             double start_seconds) {
    if (method.native() || method.synchronisation.kind != Synchronisation::Kind::timed || bound_seconds <= 0) {
        return 0;
    }
    return least_seconds_by_clock(bound_seconds, block_bytes, start_seconds);
}

/// What is known before the first call with blocks of so many bytes. `numbers`: NumberedMethods::of_range; `winner`:
/// the number of the method that earlier jobs found to be the fastest, which begins, also where the rule would not
/// think of it; `prospect(number)` makes a candidate. Throws std::bad_alloc.
template <class MakeProspect>
[[nodiscard]] learning::Beginning beginning_about(const selection::Decision& decision,
                                                  const std::vector<std::size_t>& numbers, std::int64_t block_bytes,
                                                  double bound_seconds, std::optional<std::size_t> winner,
                                                  MakeProspect prospect) {
    learning::Beginning found;
    const auto place_of = [&](std::size_t number) {
        const auto one = std::find_if(found.prospects.begin(), found.prospects.end(),
                                      [&](const learning::Prospect& known) { return known.method == number; });
        return static_cast<std::size_t>(one - found.prospects.begin());
    };
    const auto add = [&](std::size_t number) {
        if (place_of(number) == found.prospects.size() && found.prospects.size() <= most_candidates) {
            found.prospects.push_back(prospect(number));
        }
    };
    add(numbers[decision.range_of(0)]);  // blocks of no byte are always native
    for_each_range_about(decision, block_bytes, [&](std::size_t range) { add(numbers[range]); });
    if (winner && found.prospects.size() > 1) {
        found.winner = place_of(*winner);
        if (*found.winner == found.prospects.size()) {
            found.prospects.push_back(prospect(*winner));
        }
    }
    found.size = block_bytes;
    found.least_seconds = bound_seconds;
    return found;
}

}  // namespace aapc::interposer
