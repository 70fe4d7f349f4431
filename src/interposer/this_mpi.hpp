/// @file
/// The MPI of this process, and whether it is one that this interposer can serve.
#pragma once

#include <optional>
#include <string>

#include "input/mpis.hpp"

namespace aapc::interposer {

/// The MPI whose calls are served: the one that this interposer is built for; where it is built for the standard ABI,
/// the one behind that ABI. After MPI_Init.
[[nodiscard]] const KnownMpi& this_mpi();

/// Why no call can be served in this process: the library behind the names of MPI has other handles, or another size of
/// a status, than this interposer was compiled for. nullopt if nothing speaks against it. After MPI_Init; local. The
/// library's name and version are looked at first, which needs no handle; then predefined types and communicators are
/// asked for their sizes, and a status is set and read between guards. Throws std::bad_alloc.
[[nodiscard]] std::optional<std::string> foreign_library();

}  // namespace aapc::interposer
