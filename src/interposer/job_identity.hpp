/// @file
/// What a job is known by: to people its command line, its date, its number in the batch system; to tunings its
/// network, the placement of its ranks, and its MPI.
#pragma once

#include <string>

#include "aapc/archive/record.hpp"
#include "aapc/archive/tuning.hpp"
#include "aapc/topology/placement.hpp"
#include "selection/settings.hpp"

namespace aapc::interposer {

/// Fills in command, date and job of `head` from this process. Throws std::bad_alloc alone.
void name_job(RecordHead& head);

/// What the MPI says of its version; empty if it says nothing. Throws std::bad_alloc alone.
[[nodiscard]] std::string library_version();

/// Of a communicator with that placement in a job of that configuration. Throws std::bad_alloc alone.
[[nodiscard]] Fingerprint fingerprint_of(const selection::Configuration& configuration, const Placement& placement);

}  // namespace aapc::interposer
