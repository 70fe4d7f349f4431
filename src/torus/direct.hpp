/// @file
/// The algorithm `torus-direct`: every block straight to its destination, in as few contention-free phases as the links
/// of the torus allow. docs/torus.md derives it.
#pragma once

#include <memory>
#include <string_view>

#include "aapc/algorithm.hpp"

namespace aapc::torus {

inline constexpr std::string_view direct_variants[] = {"plain"};

/// R·C·max(R, C)/8 phases on an R x C torus: both sides multiples of 4, one of them at least 8. With a rank on every
/// machine that is the bound, and every link of the longer side's dimension is busy in every phase, in both directions.
/// At most one rank on a machine; messages of machines without one are left out.
[[nodiscard]] Expected<std::unique_ptr<Timetable>> build_direct(const Network& network, const Demand& demand,
                                                                std::string_view variant);

}  // namespace aapc::torus
