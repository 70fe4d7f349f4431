/// @file
/// What results and tunings say of the circumstances in which they came about.
#pragma once

#include <string>

namespace aapc::bench {

/// What the MPI says of itself, all of it. Local; MPI need not be initialised.
[[nodiscard]] std::string mpi_library_version();

/// The same for people: "Open MPI v4.1.4", "MPICH Version: 4.0.2".
[[nodiscard]] std::string short_mpi_version();

/// The congestion control that TCP uses for new connections on this host; empty where the system does not tell.
[[nodiscard]] std::string congestion_control();

/// Now, as "2026-11-21T07:15:00Z".
[[nodiscard]] std::string date_now();

}  // namespace aapc::bench
