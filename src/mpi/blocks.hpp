/// @file
/// The buffers of one call.
#pragma once

#include <cstddef>

#include "aapc/topology/network.hpp"

namespace aapc::mpi {

struct Blocks {
    const std::byte* send;
    std::byte* receive;
    std::size_t bytes;  ///< in one block, > 0

    [[nodiscard]] const std::byte* for_rank(Rank to) const { return send + static_cast<std::size_t>(to) * bytes; }
    [[nodiscard]] std::byte* from_rank(Rank from) const { return receive + static_cast<std::size_t>(from) * bytes; }
};

}  // namespace aapc::mpi
