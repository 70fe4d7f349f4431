/// @file
/// The algorithm `ring`: in step k every rank sends to the rank k places ahead and receives from the one k behind.
#pragma once

#include <memory>
#include <string_view>

#include "aapc/algorithms/algorithm.hpp"

namespace aapc::baselines {

/// The only variant of algorithms that have none.
inline constexpr std::string_view plain_variants[] = {"plain"};

/// P-1 phases, one port (Open MPI's and UCC's "pairwise").
[[nodiscard]] Expected<std::unique_ptr<Timetable>> build_ring(const Network& network, const Placement& placement,
                                                              std::string_view variant);

}  // namespace aapc::baselines
