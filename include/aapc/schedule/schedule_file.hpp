/// @file
/// Schedules as documents: JSON (format "aapc-schedule/1") and a table for people.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aapc/check/queues.hpp"
#include "aapc/check/schedule.hpp"
#include "aapc/input/diagnostic.hpp"
#include "aapc/timetable/synchronisation.hpp"

namespace aapc {

/// What a schedule document says, unchecked.
struct ScheduleDocument {
    struct Participant {
        std::string name;
        std::string machine;
    };
    ScheduleDraft draft;
    std::vector<Participant> participants;
    Synchronisation synchronisation;
    std::vector<Edge>
        edges;  ///< Edge::after.phase and before.phase are filled in from the phases; -1 if the message is not there
    std::vector<Transfer> dummies;    ///< of the synchronisation `dummy`; none otherwise
    std::optional<QueueClaim> queue;  ///< what it says of queues
};

/// Reads a document; a syntax error is reported with its line and column, a missing or ill-typed member with its path
/// ("phases[3][1].from") and, where it can be had, the position.
[[nodiscard]] Expected<ScheduleDocument> read_schedule_document(std::string_view text, std::string_view file);

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
