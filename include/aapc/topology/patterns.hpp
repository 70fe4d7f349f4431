/// @file
/// Patterns of unequal messages: demands by name, for benchmarks, predictions and tests. docs/unequal.md has the list.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "aapc/input/diagnostic.hpp"
#include "aapc/topology/demand.hpp"

namespace aapc {

/// A pattern as users name it.
struct PatternEntry {
    std::string_view name;     ///< "zipf"
    std::string_view summary;  ///< one sentence without a full stop
};

/// All patterns, the equal one first.
[[nodiscard]] std::span<const PatternEntry> patterns();

/// "equal, uniform, …".
[[nodiscard]] std::string pattern_names();

/// The demand of a pattern among `participants` (at least 1) ranks with `mean_bytes` (0 … 2^40) a pair of different
/// ranks on average, up to rounding and, where lengths are drawn, chance. The same for the same arguments on every
/// machine: all that is drawn comes from whole numbers and the four operations. A diagnostic for an unknown name, with
/// the nearest. O(participants²); `experts` 16 · log(participants) times that.
[[nodiscard]] Expected<Demand> make_demand(std::string_view pattern, Rank participants, std::int64_t mean_bytes,
                                           std::uint64_t seed);

}  // namespace aapc
