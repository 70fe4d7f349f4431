/// @file
/// The connections for blocks (AAPC_WIRE).
#pragma once

#include <cstdint>
#include <string_view>

#include "aapc/input/diagnostic.hpp"

namespace aapc::selection {

enum class WireUse : std::uint8_t {
    automatic,  ///< those of the MPI, today
    mpi,
    tcp,  ///< those of aapc, between machines that gain by them
};

/// "auto", "mpi" or "tcp"; empty is "auto". The diagnostic has no file.
[[nodiscard]] Expected<WireUse> parse_wire_use(std::string_view text);

}  // namespace aapc::selection
