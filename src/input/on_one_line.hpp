/// @file
/// Text that was given, as it may be shown.
#pragma once

#include <string>
#include <string_view>

namespace aapc {

/// The text with its control characters shown as \xNN: on one line, and nothing in it that a terminal obeys.
[[nodiscard]] std::string on_one_line(std::string_view text);

}  // namespace aapc
