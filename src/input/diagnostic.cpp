#include "aapc/input/diagnostic.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <iterator>
#include <string_view>

namespace aapc {

namespace {

/// Whether `text` has a control character of Unicode's second block (0x80 to 0x9f, in UTF-8) at `at`; terminals obey
/// those too.
bool is_wide_control(std::string_view text, std::size_t at) {
    return text[at] == '\xc2' && at + 1 < text.size() && (static_cast<unsigned char>(text[at + 1]) & 0xe0U) == 0x80;
}

void append_on_one_line(std::string& out, std::string_view text) {
    for (std::size_t at = 0; at < text.size(); ++at) {
        const auto byte = static_cast<unsigned char>(text[at]);
        if (is_wide_control(text, at)) {
            ++at;
            fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<unsigned char>(text[at]));
        } else if (byte < 0x20 || byte == 0x7f) {
            fmt::format_to(std::back_inserter(out), "\\x{:02x}", byte);
        } else {
            out.push_back(text[at]);
        }
    }
}

}  // namespace

std::string to_string(const Diagnostic& diagnostic) {
    std::string text;
    if (!diagnostic.file.empty()) {
        append_on_one_line(text, diagnostic.file);
        if (diagnostic.line > 0) {
            fmt::format_to(std::back_inserter(text), ":{}", diagnostic.line);
            if (diagnostic.column > 0) {
                fmt::format_to(std::back_inserter(text), ":{}", diagnostic.column);
            }
        }
        text += ": ";
    }
    append_on_one_line(text, diagnostic.problem);
    if (!diagnostic.advice.empty()) {
        text += "; ";
        append_on_one_line(text, diagnostic.advice);
    }
    return text;
}

}  // namespace aapc
