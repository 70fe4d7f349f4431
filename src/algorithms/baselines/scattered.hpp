/// @file
/// The algorithm `scattered`: in step k every rank receives from the rank k places ahead and sends to the one k behind
/// (MPICH 4, src/mpi/coll/alltoall/alltoall_intra_scattered.c).
#pragma once

#include <memory>
#include <string_view>

#include "aapc/algorithms/algorithm.hpp"

namespace aapc::baselines {

/// How many phases MPICH starts at a time (MPIR_CVAR_ALLTOALL_THROTTLE). There each rank's message to itself is one of
/// the first 32; here it is none.
inline constexpr Phase scattered_window = 32;

/// P-1 phases, one port.
[[nodiscard]] Expected<std::unique_ptr<Timetable>> build_scattered(const Network& network, const Placement& placement,
                                                                   std::string_view variant);

}  // namespace aapc::baselines
