/// @file
/// From a topology file to a checked schedule with its edges: what `aapc schedule` and `aapc generate` have in common.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "aapc/check/schedule.hpp"
#include "aapc/input/units.hpp"
#include "aapc/offline/synchronise.hpp"
#include "aapc/plan/pacing.hpp"
#include "aapc/timetable/synchronisation.hpp"
#include "aapc/topology/network.hpp"
#include "console/command_line.hpp"

namespace aapc::cli {

/// The user's choices; empty for the default.
struct ScheduleRequest {
    std::string topology;
    std::string algorithm;
    std::string variant;
    std::string synchronisation;
    std::string buffer_limit;  ///< bytes, as parse_size() reads them
    std::string message_size;  ///< of a block, for the limit
    bool thorough = false;     ///< search for seconds, where an algorithm searches
    Reduction reduction = Reduction::pair_rule;
};

/// FILE, --algorithm, --variant, --divisions, --buffer-limit, --message-size and --synchronisation, whose default is
/// what `request` holds.
void add_schedule_options(Command& command, ScheduleRequest& request);

struct CheckedSchedule {
    std::unique_ptr<Network> network;  ///< that the schedule refers to
    Schedule schedule;
    Synchronisation synchronisation;
    std::vector<Edge> edges;
    Cadence cadence;                        ///< of `timed`
    std::int64_t worth_a_start_from_bytes;  ///< smaller blocks gain less than a start costs (selection/crossover.hpp)
};

/// The schedule, its phases, its edges and its dummy messages checked. Otherwise complains to standard error and
/// returns the exit status.
Expected<CheckedSchedule, int> make_schedule(const ScheduleRequest& request);

}  // namespace aapc::cli
