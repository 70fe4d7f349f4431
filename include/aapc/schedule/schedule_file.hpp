/// @file
/// Schedules as documents: JSON (format "aapc-schedule/1") and a table for people.
#pragma once

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

/// The document of a schedule, the dummy messages of `dummy` included and, unless blocks are forwarded, the longest
/// queue as certify_queues() finds it; newline at the end.
[[nodiscard]] std::string schedule_json(const Schedule& schedule, const Synchronisation& synchronisation,
                                        const std::vector<Edge>& edges);

/// The schedule as a text table: a row a phase, messages by participant name. The columns of contention-free phases on
/// a tree are those of the papers' Table 4. Of a schedule with a cycle a row for each time at which messages start.
/// Forwarded blocks and the dummy messages of `dummy` follow message by
/// message.
[[nodiscard]] std::string schedule_table(const Schedule& schedule, const Synchronisation& synchronisation,
                                         const std::vector<Edge>& edges);

}  // namespace aapc
