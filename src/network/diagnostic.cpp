#include "aapc/diagnostic.hpp"

#include <fmt/format.h>

#include <iterator>

namespace aapc {

namespace {

void append_on_one_line(std::string& out, std::string_view text) {
    for (const char character : text) {
        const auto byte = static_cast<unsigned char>(character);
        if (byte < 0x20 || byte == 0x7f) {
            fmt::format_to(std::back_inserter(out), "\\x{:02x}", byte);
        } else {
            out.push_back(character);
        }
    }
}

}  // namespace

std::string to_string(const Diagnostic& diagnostic) {
    std::string text;
    if (!diagnostic.file.empty()) {
        append_on_one_line(text, diagnostic.file);
        if (diagnostic.line > 0) {
            fmt::format_to(std::back_inserter(text), ":{}:{}", diagnostic.line, diagnostic.column);
        }
        text += ": ";
    }
    append_on_one_line(text, diagnostic.wrong);
    if (!diagnostic.right.empty()) {
        text += "; ";
        append_on_one_line(text, diagnostic.right);
    }
    return text;
}

}  // namespace aapc
