/// @file
/// The algorithm `torus-direct`: every block straight to its destination, in as few contention-free phases as the links
/// of the torus allow. docs/torus.md derives it.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "aapc/algorithms/algorithm.hpp"
#include "aapc/topology/torus.hpp"

namespace aapc::torus {

inline constexpr std::string_view direct_variants[] = {"plain"};
inline constexpr Use direct_uses[] = {{.kind = NetworkKind::torus}};

/// On how many phases a torus is served: P·max/8 on P machines whose longest side `max` is a multiple of 4 and at least
/// 8; P·(max + 2)/8 if the longest side is no such multiple and at least 6, and P if no side is longer than 4. Nothing
/// if a side is odd, or for a single machine. `grid` has no side of 1.
[[nodiscard]] std::optional<Phase> direct_phases(const TorusGrid& grid);

/// One to three sides, all of them even. With a rank on every machine and a longest side that is a multiple of 4 and at
/// least 8, the phases are the bound, and every link of that side's dimension is busy in every phase, in both
/// directions; other even sides need a few more. At most one rank on a machine; messages of machines without one are
/// left out.
[[nodiscard]] Expected<std::unique_ptr<Timetable>> build_direct(const Network& network, const Placement& placement,
                                                                std::string_view variant);

}  // namespace aapc::torus
