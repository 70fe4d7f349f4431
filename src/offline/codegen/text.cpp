#include "offline/codegen/text.hpp"

#include <fmt/format.h>

#include <limits>

namespace aapc::codegen {

namespace {

constexpr std::size_t longest_literal = 1023;

bool is_printable(char character) { return character >= ' ' && character <= '~'; }

std::string octal(char character) {
    // Three digits always, so that a digit behind the escape is not taken for a part of it.
    return fmt::format("\\{:03o}", static_cast<unsigned>(static_cast<unsigned char>(character)));
}

/// Whether two neighbours would mean something to a C compiler even inside a comment: its end, the start of another one
/// (which compilers warn of) or the beginning of a trigraph (of which ??/ is a backslash).
bool is_active_pair(char first, char second) {
    return (first == '*' && second == '/') || (first == '/' && second == '*') || (first == '?' && second == '?');
}

}  // namespace

std::string in_comment(std::string_view text, std::size_t longest) {
    std::string result;
    for (const char character : text.substr(0, longest)) {
        const bool active = !result.empty() && is_active_pair(result.back(), character);
        if (!is_printable(character) || character == '\\' || active) {
            result += octal(character);
        } else {
            result += character;
        }
    }
    if (text.size() > longest) {
        result += "...";
    }
    return result;
}

std::string string_literal(std::string_view text) {
    std::string result = "\"";
    for (const char character : text.substr(0, longest_literal)) {
        // The question mark because of trigraphs.
        if (!is_printable(character) || character == '\\' || character == '"' || character == '?') {
            result += octal(character);
        } else {
            result += character;
        }
    }
    return result + "\"";
}

std::string_view smallest_unsigned_type(std::int64_t largest) {
    if (largest <= std::numeric_limits<std::uint8_t>::max()) {
        return "uint8_t";
    }
    if (largest <= std::numeric_limits<std::uint16_t>::max()) {
        return "uint16_t";
    }
    if (largest <= std::numeric_limits<std::uint32_t>::max()) {
        return "uint32_t";
    }
    return "uint64_t";
}

}  // namespace aapc::codegen
