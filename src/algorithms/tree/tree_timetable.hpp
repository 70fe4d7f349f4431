/// @file
/// The algorithm `tree`: contention-free phases on a tree of switches, as few as the bottleneck allows.
#pragma once

#include <memory>
#include <string_view>

#include "aapc/algorithms/algorithm.hpp"

namespace aapc::tree {

inline constexpr std::string_view merged = "merged";
inline constexpr std::string_view paper = "paper";
inline constexpr std::string_view variants[] = {merged, paper};
/// An algorithm for any tree is also used between clusters.
inline constexpr Use uses[] = {{.kind = NetworkKind::tree}, {.kind = NetworkKind::clusters}};

/// Variant `paper`: the branches of the root as they are, the papers' patterns. Variant `merged`: branches are packed
/// into as few groups as fit into |M0| (which leaves the number of phases as it is and most trees with two groups of
/// equal size), and T0 rotates no longer than it must.
[[nodiscard]] Expected<std::unique_ptr<Timetable>> build(const Network& network, const Placement& placement,
                                                         std::string_view variant);

}  // namespace aapc::tree
