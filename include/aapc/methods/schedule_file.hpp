/// @file
/// Schedules read from documents: JSON (format "aapc-schedule/1"). They are written by aapc/offline/schedule_text.hpp.
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

}  // namespace aapc
