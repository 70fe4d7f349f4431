/// @file
/// Texts and complaints that ranks share, so that all of them fail or none. A broadcast here sleeps while it waits:
/// ranks may outnumber cores, and a rank that spins slows down those that are still at work.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "aapc/input/diagnostic.hpp"
#include "aapc/mpi/agreement.hpp"

namespace aapc::mpi {

/// Until it is complete.
void wait_patiently(MPI_Request request);

/// The bytes of rank `root` on all ranks. Collective.
void broadcast(MPI_Comm comm, void* bytes, std::size_t length, int root);

/// The text of rank `root` on all ranks. Collective.
[[nodiscard]] std::string text_from(MPI_Comm comm, const std::string& text, int root);

/// What a complaint says where there is no memory for another one. Short enough to need none itself.
inline constexpr const char* no_memory = "no memory left";

/// The complaint of the lowest rank that has one, on all ranks; nothing if none has. `mine` is null on a rank that has
/// none. A text of more than 4,000 bytes is cut off. Collective, and takes no memory that could be missing: a rank that
/// has none for the complaint knows that there is one.
[[nodiscard]] std::optional<Diagnostic> first_complaint(MPI_Comm comm, const Diagnostic* mine);
[[nodiscard]] inline std::optional<Diagnostic> first_complaint(MPI_Comm comm, const std::optional<Diagnostic>& mine) {
    return first_complaint(comm, mine ? &*mine : nullptr);
}

}  // namespace aapc::mpi
