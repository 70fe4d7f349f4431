/// @file
/// The algorithm `torus`: few, large messages on a torus. Machines collect blocks of their neighbours, exchange them
/// among fewer machines, and distribute them. docs/torus.md has the algorithm, corrected, and what it costs.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "aapc/algorithms/algorithm.hpp"

namespace aapc::torus {

inline constexpr std::string_view divisions_prefix = "divisions-";  ///< and how often the torus is divided
inline constexpr std::string_view divided_variants[] = {"divisions-0", "divisions-1"};

/// N x N machines, N a multiple of 4·2^K: 3K + N/2^(K+1) + 2 contention-free phases, in which a rank sends
/// N²·(N/4 + 3.5·2^K - 2.5) blocks at most, its own to itself counted. Sides that are no such multiples, rectangles,
/// one and three dimensions: docs/torus.md. Exactly one rank on each machine, in any order.
[[nodiscard]] Expected<std::unique_ptr<Timetable>> build_divided(const Network& network, const Placement& placement,
                                                                 std::string_view variant);

/// The variant with one division less, which takes smaller buffers; none of "divisions-0".
[[nodiscard]] std::optional<std::string> one_division_less(std::string_view variant);

}  // namespace aapc::torus
