/// @file
/// The generator: a self-contained C routine for one cluster (2005, section 5).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "aapc/check/schedule.hpp"
#include "aapc/input/diagnostic.hpp"
#include "aapc/offline/synchronise.hpp"
#include "aapc/plan/pacing.hpp"
#include "aapc/timetable/synchronisation.hpp"

namespace aapc {

/// Settings of a routine beside its schedule.
struct RoutineSettings {
    std::string_view stamp;          ///< for the head comment: the command line that made it
    std::int64_t minimum_bytes = 1;  ///< smaller messages go to the native routine
    /// Of `timed`: the length of its slots. Where it is not known(), since no message crosses a link, `timed` becomes
    /// `none`.
    Cadence cadence;
};

/// A C11 file that defines MPI_Alltoall on top of MPI point-to-point calls, for communicators whose ranks are the
/// schedule's participants in order; on any other it calls PMPI_Alltoall. `edges` is the result of
/// synchronisation_edges(). Every name is written so that it cannot end a comment or a string. Deterministic: same
/// input, same bytes. The diagnostic has no file: tokens and `dummy` need contention-free phases, `timed` those or a
/// cycle, and all of them messages of one block each.
[[nodiscard]] Expected<std::string> generate_routine(const Schedule& schedule, const Synchronisation& synchronisation,
                                                     const std::vector<Edge>& edges, const RoutineSettings& settings);

}  // namespace aapc
