/// @file
/// The algorithm `bruck`: fewer, larger messages by passing blocks on (Bruck, Ho, Kipnis, Upfal & Weathersby 1997,
/// "Efficient algorithms for all-to-all communications in multiport message-passing systems", section 3).
#pragma once

#include <memory>
#include <string_view>

#include "aapc/algorithms/algorithm.hpp"

namespace aapc::baselines {

inline constexpr std::string_view bruck_radix = "radix-";  ///< and a whole number of at least 2
inline constexpr std::string_view bruck_variants[] = {"radix-2", "radix-4", "radix-8"};

/// Radix R, for P ranks: the distance from a block's origin to its destination, around the circle of ranks, is written
/// with the digits of radix R, and the block travels one digit after the other, the lowest first. There is a phase for
/// every digit's place and every value of that digit from 1: ·ceil(log_R P) at most, in which each rank sends one
/// message. A block is sent as often as its distance has digits other than zero. From R = P on, every block goes to its
/// destination at once, in the order of `ring`.
[[nodiscard]] Expected<std::unique_ptr<Timetable>> build_bruck(const Network& network, const Placement& placement,
                                                               std::string_view variant);

}  // namespace aapc::baselines
