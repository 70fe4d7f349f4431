/// @file
/// Rounds of flows.
#pragma once

#include <random>
#include <vector>

#include "offline/discovery/switch_tree.hpp"

namespace aapc::discovery {

using Random = std::mt19937_64;

/// Machine i sends to i + distance, around, in each part. Parts of one machine stay quiet.
[[nodiscard]] Round shifted(const std::vector<std::vector<Machine>>& parts, std::size_t distance);

/// The same by half of each part.
[[nodiscard]] Round shifted_by_half(const std::vector<std::vector<Machine>>& parts);

/// In each part every machine sends to another one, at random.
[[nodiscard]] Round at_random(const std::vector<std::vector<Machine>>& parts, Random& random);

/// Every `stride`th machine, from `first` on, sends to the next one.
[[nodiscard]] Round sparse(Machine machines, Machine first, Machine stride);

/// Flows into and out of each of `groups`, as many as can be, from machines of which each takes part once. Rounds until
/// all groups have had their turn; groups that need the same machines have it one after the other.
[[nodiscard]] std::vector<Round> filling(std::vector<std::vector<Machine>> groups, Machine machines, Random& random);

}  // namespace aapc::discovery
