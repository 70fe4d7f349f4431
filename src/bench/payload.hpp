/// @file
/// What travels in a measurement: bytes that say where they come from, where they belong and at which offset.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "aapc/topology/network.hpp"

namespace aapc::bench {

/// Fills the block that `from` has for `to`. Two blocks, or two places of one block, hardly ever hold the same 8 bytes.
void fill_block(std::span<std::byte> block, Rank from, Rank to);

/// The offset of the first byte that is not what fill_block() writes; nothing if all are.
[[nodiscard]] std::optional<std::size_t> first_wrong_byte(std::span<const std::byte> block, Rank from, Rank to);

}  // namespace aapc::bench
