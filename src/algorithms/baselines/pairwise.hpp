/// @file
/// The algorithm `pairwise`: ranks exchange in pairs where their number is a power of two (MPICH 4,
/// src/mpi/coll/alltoall/alltoall_intra_pairwise.c).
#pragma once

#include <memory>
#include <string_view>

#include "aapc/algorithms/algorithm.hpp"

namespace aapc::baselines {

/// P-1 phases, one port. In step k rank i and rank i XOR k exchange if P is a power of two; otherwise MPICH falls back
/// to the order of `ring`, and so does this.
[[nodiscard]] Expected<std::unique_ptr<Timetable>> build_pairwise(const Network& network, const Placement& placement,
                                                                  std::string_view variant);

}  // namespace aapc::baselines
