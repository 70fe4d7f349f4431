/// @file
/// Ticks of a cycle as documents write them: fractions of it.
#pragma once

#include "aapc/timetable/timetable.hpp"

namespace aapc::documents {

/// The ticks of a cycle whose document does not say how many there are: every number from 0.5 on is a whole tick then.
inline constexpr Phase usual_ticks = Phase{1} << 53U;

/// tick / ticks, rounded to a number below 1.
[[nodiscard]] double fraction_of(Phase tick, Phase ticks);

/// The tick nearest to that fraction of the cycle, which is from 0 up to 1. fraction_of() of it is the same number
/// again where it came from there.
[[nodiscard]] Phase tick_at(double fraction, Phase ticks);

}  // namespace aapc::documents
