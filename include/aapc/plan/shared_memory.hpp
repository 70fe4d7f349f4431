/// @file
/// What the ranks of one machine may do for each other without MPI (AAPC_SHARED_MEMORY).
#pragma once

#include <cstdint>
#include <string_view>

#include "aapc/input/diagnostic.hpp"

namespace aapc {

/// From the least to the most.
enum class SharedMemory : std::uint8_t {
    nothing,             ///< every message is one of MPI
    tickets,             ///< they share a piece of memory, in which `ports:K` keeps its tickets
    tickets_and_copies,  ///< and copy blocks for each other straight from send to receive buffer
};

/// Reads "0", "tickets" or "1", and "" as "1". The diagnostic has no file.
[[nodiscard]] Expected<SharedMemory> parse_shared_memory(std::string_view text);

}  // namespace aapc
