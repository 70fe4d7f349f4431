/// @file
/// The generator: a self-contained C routine for one cluster (2005, section 5).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "aapc/check/schedule.hpp"
#include "aapc/input/diagnostic.hpp"
#include "aapc/schedule/synchronise.hpp"
#include "aapc/timetable/synchronisation.hpp"

namespace aapc {

/// A C11 file that defines MPI_Alltoall on top of MPI point-to-point calls, for communicators that sit on the
/// schedule's participants in order; on any other it calls PMPI_Alltoall. `edges` as synchronisation_edges() gives
/// them. `stamp` goes into the head comment (the command line that made it). Every name is written so that it cannot
/// end a comment or a string. Deterministic: same input, same bytes. The diagnostic has no file: tokens, `dummy` and
/// `timed` need contention-free phases and messages of one block each. `timed` becomes `none` where no message crosses
/// a link.
[[nodiscard]] Expected<std::string> generate_routine(const Schedule& schedule, const Synchronisation& synchronisation,
                                                     const std::vector<Edge>& edges, std::string_view stamp);

}  // namespace aapc
