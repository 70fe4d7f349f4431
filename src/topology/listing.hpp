/// @file
/// What is listed by vertex, machine, link or rank.
#pragma once

#include <cstddef>
#include <cstdint>

namespace aapc::listing {

[[nodiscard]] inline std::size_t index(std::int32_t value) { return static_cast<std::size_t>(value); }

}  // namespace aapc::listing
