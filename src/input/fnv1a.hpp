/// @file
/// The hash that digests and checksums are made of.
#pragma once

#include <string>
#include <string_view>

namespace aapc {

/// "fnv1a:0123456789abcdef": Fowler, Noll and Vo's hash of the bytes, variant 1a, 64 bits. It finds differences and
/// accidents, not forgery. O(text).
[[nodiscard]] std::string fnv1a_text(std::string_view text);

}  // namespace aapc
