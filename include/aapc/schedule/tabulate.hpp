/// @file
/// A timetable, written down.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "aapc/check/schedule.hpp"
#include "aapc/timetable/timetable.hpp"

namespace aapc {

/// Writes down every answer of a timetable, its guarantee included.
[[nodiscard]] ScheduleDraft tabulate(const Timetable& timetable, std::string algorithm, std::string variant,
                                     std::optional<std::int64_t> bound);

}  // namespace aapc
