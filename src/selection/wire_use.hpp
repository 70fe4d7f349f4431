/// @file
/// Whose connections blocks travel by (AAPC_WIRE).
#pragma once

#include <cstdint>
#include <string_view>

#include "aapc/input/diagnostic.hpp"

namespace aapc::selection {

enum class WireUse : std::uint8_t {
    automatic,  ///< the MPI's, as long as nothing has shown that ours are faster
    mpi,
    tcp,  ///< ours, between machines that gain by it
};

/// "auto", "mpi" or "tcp"; empty is "auto". The diagnostic has no file.
[[nodiscard]] Expected<WireUse> parse_wire_use(std::string_view text);

}  // namespace aapc::selection
