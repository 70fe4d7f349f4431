/// @file
/// The version of aapc.
#pragma once

#include <string_view>

namespace aapc {

/// "0.1.0".
[[nodiscard]] std::string_view version();

}  // namespace aapc
