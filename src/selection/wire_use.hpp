/// @file
/// The connections for blocks (AAPC_WIRE).
#pragma once

#include <cstdint>
#include <string_view>

#include "aapc/input/diagnostic.hpp"
#include "aapc/topology/network.hpp"

namespace aapc::selection {

enum class WireUse : std::uint8_t {
    automatic,  ///< as tcp on fabrics with hashed paths, if the messages of the MPI travel by TCP; else as mpi
    mpi,
    tcp,  ///< those of aapc, between machines that gain by them
};

/// "auto", "mpi" or "tcp"; empty is "auto". The diagnostic has no file.
[[nodiscard]] Expected<WireUse> parse_wire_use(std::string_view text);

/// True if messages on that network are to travel by connections of aapc, if they can: under `automatic` if those of
/// the MPI are TCP connections as well.
[[nodiscard]] bool wants_wire(WireUse use, const Network& network);

}  // namespace aapc::selection
