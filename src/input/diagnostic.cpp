#include "aapc/input/diagnostic.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <iterator>
#include <string_view>

#include "input/on_one_line.hpp"

namespace aapc {

namespace {

/// How many bytes the character of UTF-8 that begins with this byte has behind it; 0 for a byte that begins none.
std::size_t bytes_behind(unsigned char byte) {
    if (byte >= 0xf0) {
        return byte < 0xf8 ? 3 : 0;
    }
    return byte >= 0xe0 ? 2 : byte >= 0xc2 ? 1 : 0;
}

bool is_control(unsigned value) { return value < 0x20 || (0x7f <= value && value < 0xa0); }

void append_on_one_line(std::string& out, std::string_view text) {
    std::size_t behind = 0;  // bytes of the character before that are still to come
    for (std::size_t at = 0; at < text.size(); ++at) {
        const auto byte = static_cast<unsigned char>(text[at]);
        const bool continues = behind > 0 && (byte & 0xc0U) == 0x80;
        behind = continues ? behind - 1 : bytes_behind(byte);
        // Unicode's second block of control characters (0x80 to 0x9f) is two bytes in UTF-8 and one in other sets;
        // terminals obey those, too.
        const bool wide =
            byte == 0xc2 && at + 1 < text.size() && (static_cast<unsigned char>(text[at + 1]) & 0xe0U) == 0x80;
        if (wide) {
            behind = 0;
            fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<unsigned char>(text[++at]));
        } else if (!continues && is_control(byte)) {
            fmt::format_to(std::back_inserter(out), "\\x{:02x}", byte);
        } else {
            out.push_back(text[at]);
        }
    }
}

constexpr std::size_t most_of_name = 8192;  // twice what a system takes
constexpr std::size_t most_of_text = 1200;

/// On one line, and of what is longer than any sentence or path only the beginning and the end: a value of
/// 100,000 characters may be quoted in it.
void append_shortened(std::string& out, std::string_view text, std::size_t most) {
    constexpr std::size_t end = 600;
    constexpr std::size_t beginning = 400;
    if (text.size() <= most) {
        append_on_one_line(out, text);
        return;
    }
    append_on_one_line(out, text.substr(0, beginning));
    fmt::format_to(std::back_inserter(out), " ... ({} bytes) ... ", text.size() - beginning - end);
    append_on_one_line(out, text.substr(text.size() - end));
}

}  // namespace

std::string on_one_line(std::string_view text) {
    std::string line;
    append_on_one_line(line, text);
    return line;
}

std::string to_string(const Diagnostic& diagnostic) {
    std::string text;
    if (!diagnostic.file.empty()) {
        append_shortened(text, diagnostic.file, most_of_name);
        if (diagnostic.line > 0) {
            fmt::format_to(std::back_inserter(text), ":{}", diagnostic.line);
            if (diagnostic.column > 0) {
                fmt::format_to(std::back_inserter(text), ":{}", diagnostic.column);
            }
        }
        text += ": ";
    }
    append_shortened(text, diagnostic.problem, most_of_text);
    if (!diagnostic.advice.empty()) {
        text += "; ";
        append_shortened(text, diagnostic.advice, most_of_text);
    }
    return text;
}

}  // namespace aapc
