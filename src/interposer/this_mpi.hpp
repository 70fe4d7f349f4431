/// @file
/// The MPI of this process, and whether it is one that this interposer can serve.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

#include "input/mpis.hpp"

namespace aapc::interposer {

/// The MPI whose calls are served: the one that this interposer is built for; where it is built for the standard ABI,
/// the one behind that ABI. After MPI_Init.
[[nodiscard]] const KnownMpi& this_mpi();

enum class Handles : std::uint8_t { unknown, as_compiled, others };
/// What has_other_handles() has found.
inline constinit std::atomic<Handles> handles_of_process = Handles::unknown;

/// Whether the library behind the names of MPI has another kind of handles than this interposer was compiled for, by
/// its name and version: arguments are not to be looked at then. Needs no handle and no memory, and is for any time,
/// also before MPI_Init.
[[nodiscard]] bool has_other_handles();

/// The same for every call: false as long as nobody has asked has_other_handles().
[[nodiscard]] inline bool has_handles_as_compiled() {
    return handles_of_process.load(std::memory_order_relaxed) == Handles::as_compiled;
}

/// Why no call can be served in this process: the library behind the names of MPI has other handles, or another size of
/// a status, than this interposer was compiled for. nullopt if nothing speaks against it. After MPI_Init; local. The
/// library's name and version are looked at first, which needs no handle; then predefined types and communicators are
/// asked for their sizes, and a status is set and read between guards. Throws std::bad_alloc.
[[nodiscard]] std::optional<std::string> foreign_library();

}  // namespace aapc::interposer
