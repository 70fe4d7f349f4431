/// @file
/// From a method to an executable one, or the reason why it cannot run. All code that runs, predicts or writes down a
/// method uses this.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "aapc/algorithms/algorithm.hpp"
#include "aapc/input/diagnostic.hpp"
#include "aapc/methods/buffer_limit.hpp"
#include "aapc/methods/given_schedule.hpp"
#include "aapc/methods/method.hpp"
#include "aapc/methods/timetables.hpp"
#include "aapc/plan/pacing.hpp"
#include "aapc/timetable/timetable.hpp"
#include "aapc/topology/bound.hpp"
#include "aapc/topology/network.hpp"
#include "aapc/topology/placement.hpp"

namespace aapc {

/// A method that can run: its timetable exists there, and its synchronisation suits the timetable.
struct Prepared {
    Method method;                               ///< the wanted one, or its replacement within the limit
    std::shared_ptr<const Timetable> timetable;  ///< never null
    std::int64_t bound_messages = 0;             ///< Bound::messages
    Cadence cadence;                             ///< of `timed`: the length of its slots
    /// largest_buffer_blocks(); nullopt if no limit was given, since it is not counted then.
    std::optional<std::int64_t> buffer_blocks;
    std::vector<BufferedMethod> too_large;  ///< the wanted one and those tried after it, if above the limit
};

/// Options of prepare() where no Timetables are shared.
struct PreparationOptions {
    std::optional<std::int64_t> most_buffer_blocks = std::nullopt;  ///< for forwarded blocks, on every rank
    const GivenSchedule* given = nullptr;                           ///< not owned; null if there is none
    Effort effort = Effort::at_set_up;
};

/// Prepares `wanted`, which is not native, on `network` for the ranks of `placement`; `bound` is theirs. With a limit,
/// the result is `wanted` or the first of its reductions by with_smaller_buffers() whose buffers are within that many
/// blocks on every rank. The diagnostic, without a file, gives the reason: no timetable, buffers, a synchronisation
/// that does not suit it, a speed that `timed` lacks, or memory. Where the given schedule is for that method and
/// placement, its times replace the algorithm's search. Equal arguments give equal results, except when memory is
/// lacking. Takes as long as the algorithm; with a limit, also as the plans of all ranks.
[[nodiscard]] Expected<Prepared> prepare(const Network& network, const Placement& placement, const Bound& bound,
                                         const Method& wanted, const PreparationOptions& options = {});

/// The same with shared timetables, which stay there, and their bound.
[[nodiscard]] Expected<Prepared> prepare(Timetables& timetables, const Method& wanted,
                                         std::optional<std::int64_t> most_buffer_blocks = std::nullopt);

/// Whether `synchronisation` suits the timetable and, if it is time-triggered, the speed of the links is known. The
/// last check of prepare(), for callers that try many synchronisations on one timetable.
[[nodiscard]] Expected<void> check_can_be_run(const Timetable& timetable, const Bound& bound,
                                              const Synchronisation& synchronisation);

/// "tree/merged+timed: what is wrong".
[[nodiscard]] Diagnostic said_of(const Method& method, Diagnostic diagnostic);

}  // namespace aapc
