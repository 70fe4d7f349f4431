/// @file
/// A timetable, written down.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "aapc/check/schedule.hpp"
#include "aapc/input/diagnostic.hpp"
#include "aapc/timetable/timetable.hpp"
#include "aapc/topology/network.hpp"
#include "aapc/topology/placement.hpp"

namespace aapc {

/// Writes down every answer of a timetable, its guarantee included.
[[nodiscard]] ScheduleDraft tabulate(const Timetable& timetable, std::string algorithm, std::string variant,
                                     std::optional<std::int64_t> bound);

/// The same with the checker's word: a schedule on that network, which must outlive it, and placement.
[[nodiscard]] Expected<Schedule, Violation> schedule_of_timetable(const Timetable& timetable, std::string algorithm,
                                                                  std::string variant,
                                                                  std::optional<std::int64_t> bound,
                                                                  const Network& network, const Placement& placement);

}  // namespace aapc
