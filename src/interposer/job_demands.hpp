/// @file
/// Whether what the user insists on can be done in this job. Rank 0 says so if not. All are collective over the world,
/// and their answers are the same on all ranks.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "aapc/methods/timetables.hpp"
#include "aapc/topology/placement.hpp"
#include "selection/settings.hpp"

namespace aapc::interposer {

/// Whether the topology file has the hosts of all ranks, unknown_machine standing for one that it has not.
inline constexpr Machine unknown_machine = -1;
[[nodiscard]] bool has_all_hosts(const std::string& topology_file, const std::vector<Machine>& machine_of);

/// Rejects a tuning that was made for something else, as a whole: `configuration` has none then. False where nothing
/// but the tuning asked for anything. Collective where there is a tuning.
[[nodiscard]] bool tuning_allows_it(selection::Configuration& configuration, const Placement& placement);

/// Whether the method or synchronisation that the user names can be used. Every rank finds out by itself, and keeps the
/// timetables for the world's communicator in `timetables`; left alone if nobody insists on anything.
[[nodiscard]] bool forced_method_fits(const selection::Configuration& configuration, const Placement& placement,
                                      std::optional<Timetables>& timetables);

/// Where the user insists on tickets: whether the machines of the world have memory for them.
[[nodiscard]] bool forced_tickets_can_be_had(const selection::Configuration& configuration, const Placement& placement);

}  // namespace aapc::interposer
