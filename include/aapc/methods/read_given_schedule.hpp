/// @file
/// Schedule documents against a topology file: who sits where, and a schedule that ranks may follow.
#pragma once

#include <string>
#include <string_view>

#include "aapc/input/diagnostic.hpp"
#include "aapc/methods/given_schedule.hpp"
#include "aapc/methods/schedule_file.hpp"
#include "aapc/topology/network.hpp"
#include "aapc/topology/placement.hpp"

namespace aapc {

/// The machines of a document's participants, by their names; or which of them `topology`, the file of the network,
/// lacks. The diagnostic has no file.
[[nodiscard]] Expected<Placement> place_participants(const ScheduleDocument& document, const Network& network,
                                                     std::string_view topology);

/// Reads a document, has the checker look at it, and makes of it what ranks can follow: it has a cycle, since phases
/// are what every rank finds quickly by itself. `topology` as above, `file` the name of the document.
[[nodiscard]] Expected<GivenSchedule> read_given_schedule(std::string_view text, const std::string& file,
                                                          const Network& network, std::string_view topology);

}  // namespace aapc
