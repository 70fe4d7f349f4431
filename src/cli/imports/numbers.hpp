/// @file
/// Numbers at the start of words.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>

namespace aapc::imports {

/// The digits at the start of `text`, which are taken off; nullopt if there are none or more than fit.
inline std::optional<int> take_number(std::string_view& text) {
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || number < 0) {
        return std::nullopt;
    }
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return number;
}

}  // namespace aapc::imports
