/// @file
/// A model of what the MPI's own algorithms do to links: messages as fluids that share links fairly.
#pragma once

#include <optional>
#include <vector>

#include "aapc/timetable/timetable.hpp"
#include "report/link_use.hpp"

namespace aapc::report {

/// An exchange in the model: what every directed link carries from one change to the next.
struct FluidRun {
    struct Interval {
        double begin_seconds = 0;
        double end_seconds = 0;
        std::vector<float> used;     ///< by directed link, as LinkUse::Cell has it
        std::vector<float> waiting;  ///< messages that this link holds back, but for one
    };
    double seconds = 0;
    std::vector<Interval> intervals;
};

/// So many ranks at most; beyond, the model would take too long.
inline constexpr Rank most_fluid_ranks = 64;

/// Everybody has messages of `bytes` (> 0, on the wire) for everybody, in the order of `timetable`, which forwards
/// nothing: `window` phases at a time, the next when a rank's own are complete at both ends. A message has at each
/// moment the rate that max-min fairness gives it: no link is asked for more than it carries, and nobody's rate could
/// be raised without lowering that of somebody who has less. Nothing is ever lost and nobody is ever late, which is
/// better than TCP does. Nothing for too many ranks, or where speeds are not known. O(changes · links · messages).
[[nodiscard]] std::optional<FluidRun> run_as_fluid(const Ways& ways, const Timetable& timetable, Phase window,
                                                   double bytes);

/// In columns, of those links.
[[nodiscard]] LinkUse use_of_fluid(const FluidRun& run, const Frame& frame);

}  // namespace aapc::report
