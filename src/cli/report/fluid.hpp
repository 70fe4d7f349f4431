/// @file
/// A model of the link loads of native algorithms: messages as fluids that share links fairly.
#pragma once

#include <optional>
#include <vector>

#include "aapc/timetable/timetable.hpp"
#include "cli/report/link_use.hpp"

namespace aapc::report {

/// An exchange in the model: what every directed link carries from one change to the next.
struct FluidRun {
    struct Interval {
        double begin_seconds = 0;
        double end_seconds = 0;
        std::vector<float> used;     ///< by directed link, as LinkUse::Cell has it
        std::vector<float> waiting;  ///< messages that this link delays, less one
    };
    double seconds = 0;
    std::vector<Interval> intervals;
};

/// The most ranks; beyond that, the model would take too long.
inline constexpr Rank most_fluid_ranks = 64;

/// Every rank has a message of `bytes` (> 0, on the wire) for every other, in the order of `timetable`, which forwards
/// no blocks: `window` phases at a time, the next when a rank's messages are complete at both ends. A message has at
/// each time its rate by max-min fairness: no link is asked for more than it carries, and no rate could be raised
/// without lowering a smaller one. No message is ever lost and no rank is ever late, which is better than TCP. Nullopt
/// for too many ranks, or if speeds are not known. O(changes · links · messages).
[[nodiscard]] std::optional<FluidRun> run_as_fluid(const Ways& ways, const Timetable& timetable, Phase window,
                                                   double bytes);

/// In columns, of those links.
[[nodiscard]] LinkUse use_of_fluid(const FluidRun& run, const Frame& frame);

}  // namespace aapc::report
