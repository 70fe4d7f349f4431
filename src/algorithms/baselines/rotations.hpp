/// @file
/// The algorithms `ring` and `scattered`: in step k every rank's partners are k places ahead and k places behind.
#pragma once

#include <memory>
#include <string_view>

#include "aapc/algorithms/algorithm.hpp"

namespace aapc::baselines {

/// The only variant of algorithms that have none.
inline constexpr std::string_view plain_variants[] = {"plain"};

/// How many phases MPICH starts at a time (MPIR_CVAR_ALLTOALL_THROTTLE). There each rank's message to itself is one of
/// the first 32; here it is none.
inline constexpr Phase scattered_window = 32;

/// Every rank sends ahead and receives from behind. P-1 phases, one port (Open MPI's and UCC's "pairwise").
[[nodiscard]] Expected<std::unique_ptr<Timetable>> build_ring(const Network& network, const Placement& placement,
                                                              std::string_view variant);

/// Every rank sends behind and receives from ahead. P-1 phases, one port (MPICH 4,
/// src/mpi/coll/alltoall/alltoall_intra_scattered.c).
[[nodiscard]] Expected<std::unique_ptr<Timetable>> build_scattered(const Network& network, const Placement& placement,
                                                                   std::string_view variant);

}  // namespace aapc::baselines
