/// @file
/// A text line by line.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace aapc {

/// The first line of `text`, without its end; `text` begins behind it then. Empty if `text` is. O(line).
[[nodiscard]] inline std::string_view take_line(std::string_view& text) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return line;
}

}  // namespace aapc
