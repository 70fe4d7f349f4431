/// @file
/// Pictures of exchanges: links over time, for one block size on one placement.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "aapc/archive/record.hpp"
#include "aapc/check/schedule.hpp"
#include "aapc/methods/preparation.hpp"
#include "aapc/plan/pacing.hpp"
#include "cli/report/link_use.hpp"

namespace aapc::report {

/// A picture by itself: SVG that shows a timetable's links over a cycle, or over all its phases, when it is repeated,
/// with its legend. `most_rows` links at most. A diagnostic for more than 512 ranks, whose messages could not be
/// distinguished, or if blocks are forwarded; the diagnostic has no file.
[[nodiscard]] Expected<std::string> timetable_svg(const Schedule& schedule, std::size_t most_rows = 48);

/// One panel of a page.
struct Panel {
    std::string title;
    std::string basis;  ///< what it was made from, as a sentence
    LinkUse use;
    double end_seconds = 0;
};

/// The pieces of a time-triggered exchange by its timetable; `prepared` is time-triggered. Nullopt if there are too
/// many.
[[nodiscard]] std::optional<std::vector<Piece>> scheduled_pieces(const Prepared& prepared, std::int64_t block_bytes);

/// The same as they were really started, of one recorded exchange. Ranks that noted nothing are missing.
[[nodiscard]] std::vector<Piece> recorded_pieces(const Record& record, const std::string& communicator,
                                                 std::int64_t exchange, const WireFormat& wire);

}  // namespace aapc::report
