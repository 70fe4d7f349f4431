/// @file
/// From a method to what can be run, or why it cannot be: everybody who runs, predicts or writes down a method asks
/// here.
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

/// A method that fits: its timetable can be had there, and its synchronisation suits the timetable.
struct Prepared {
    Method method;                               ///< what was asked for, or what takes its place within the limit
    std::shared_ptr<const Timetable> timetable;  ///< never null
    std::int64_t bound_messages = 0;             ///< Bound::messages
    Cadence cadence;                             ///< of `timed`: what its clock goes by
    /// largest_buffer_blocks(); nothing where no limit was given, since nobody has counted.
    std::optional<std::int64_t> buffer_blocks;
    std::vector<BufferedMethod> too_large;  ///< what was asked for and what was tried after that, if above the limit
};

/// What prepare() may be told besides, where nobody else asks for timetables.
struct PreparationOptions {
    std::optional<std::int64_t> most_buffer_blocks = std::nullopt;  ///< for forwarded blocks, on every rank
    const GivenSchedule* given = nullptr;                           ///< not owned; null: there is none
    Effort effort = Effort::at_set_up;
};

/// Prepares `wanted`, which is not the MPI's own routine, on `network` for ranks that sit as `placement` says; `bound`
/// is theirs. With a limit, it is `wanted` or as little of its reduction by with_smaller_buffers() as makes do with
/// so many blocks of buffers on every rank. The diagnostic, without a file, says what is in the way: no
/// timetable, buffers, a synchronisation that does not suit it, a speed that `timed` lacks, or memory. Where the given
/// schedule is for that method and placement, its times have the place of what the algorithm would find. Equal
/// arguments, equal result, but for memory. As long as the algorithm takes; with a limit, and the plans of all ranks.
[[nodiscard]] Expected<Prepared> prepare(const Network& network, const Placement& placement, const Bound& bound,
                                         const Method& wanted, const PreparationOptions& options = {});

/// The same with timetables that others have asked for, too, which stay there.
[[nodiscard]] Expected<Prepared> prepare(Timetables& timetables, const Bound& bound, const Method& wanted,
                                         std::optional<std::int64_t> most_buffer_blocks = std::nullopt);

/// Whether `synchronisation` suits the timetable and, if it goes by the clock, the speed of the links is known. What
/// prepare() asks at the end, for those who try many on one timetable.
[[nodiscard]] Expected<void> check_can_be_run(const Timetable& timetable, const Bound& bound,
                                              const Synchronisation& synchronisation);

/// "tree/merged+timed: what is wrong".
[[nodiscard]] Diagnostic said_of(const Method& method, Diagnostic diagnostic);

}  // namespace aapc
