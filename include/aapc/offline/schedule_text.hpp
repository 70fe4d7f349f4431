/// @file
/// Schedules as text: JSON (format "aapc-schedule/1"), which aapc/methods/schedule_file.hpp reads, and a table for
/// people.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "aapc/check/schedule.hpp"
#include "aapc/timetable/synchronisation.hpp"

namespace aapc {

/// Takes the next piece of a text; false where it cannot be kept, and no more is wanted.
using TakeText = std::function<bool(std::string_view piece)>;

/// The document of a schedule, the dummy messages of `dummy` included and, unless blocks are forwarded, the longest
/// queue as certify_queues() finds it; newline at the end.
[[nodiscard]] std::string schedule_json(const Schedule& schedule, const Synchronisation& synchronisation,
                                        const std::vector<Edge>& edges);

/// The same in pieces of about a megabyte, so that the text is never in memory as a whole. False where one was not
/// taken.
[[nodiscard]] bool write_schedule_json(const Schedule& schedule, const Synchronisation& synchronisation,
                                       const std::vector<Edge>& edges, const TakeText& take);

/// The schedule as a text table: a row a phase, messages by participant name. The columns of contention-free phases on
/// a tree are those of the papers' Table 4. Of a schedule with a cycle a row for each time at which messages start.
/// Forwarded blocks and the dummy messages of `dummy` follow message by
/// message.
[[nodiscard]] std::string schedule_table(const Schedule& schedule, const Synchronisation& synchronisation,
                                         const std::vector<Edge>& edges);

/// The same in pieces, as write_schedule_json().
[[nodiscard]] bool write_schedule_table(const Schedule& schedule, const Synchronisation& synchronisation,
                                        const std::vector<Edge>& edges, const TakeText& take);

}  // namespace aapc
