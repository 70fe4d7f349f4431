#include "input/toml_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "input/wording.hpp"

namespace aapc {

namespace {

constexpr std::size_t most_bytes_in_file = std::size_t{16} << 20U;
constexpr int most_dots_on_a_line = 16;
constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

/// The offset behind the TOML string that starts at `at`, as far as it goes.
std::size_t skip_string(std::string_view text, std::size_t at) {
    const std::string delimiter(text.substr(at, 3) == std::string(3, text[at]) ? 3 : 1, text[at]);
    const bool is_one_line = delimiter.size() == 1;
    const bool has_escapes = text[at] == '"';
    at += delimiter.size();
    while (at < text.size() && !(is_one_line && text[at] == '\n')) {
        if (has_escapes && text[at] == '\\') {
            at += 2;
        } else if (text.substr(at, delimiter.size()) == delimiter) {
            at += delimiter.size();
            // Up to two quotation marks before the three that end a string belong to it.
            for (int extra = 0; !is_one_line && extra < 2 && at < text.size() && text[at] == delimiter[0]; ++extra) {
                ++at;
            }
            return at;
        } else {
            ++at;
        }
    }
    return std::min(at, text.size());
}

/// The first line with a key of very many dotted parts, or 0. The parser makes a nested table of each part and takes
/// them down recursively, so such a line could overflow the stack. Dots in strings and comments do not count.
int line_with_deep_key(std::string_view text) {
    int dots = 0;
    for (std::size_t at = 0; at < text.size();) {
        const char character = text[at];
        if (character == '"' || character == '\'') {
            at = skip_string(text, at);
            continue;
        }
        if (character == '#') {
            at = std::min(text.find('\n', at), text.size());
            continue;
        }
        if (character == '\n') {
            dots = 0;
        } else if (character == '.' && ++dots > most_dots_on_a_line) {
            return static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n')) + 1;
        }
        ++at;
    }
    return 0;
}

Diagnostic file_mistake(const std::string& path, std::string problem, std::string advice) {
    return {.file = path, .problem = std::move(problem), .advice = std::move(advice)};
}

std::string advice_for_repeated(std::string_view table) {
    return fmt::format("start every {0} with [[{0}]], in double brackets", table);
}

Diagnostic syntax_mistake(const toml::parse_error& error, std::string_view file, Lines& lines,
                          const TomlFormat& format) {
    Position position = lines.position(error.source().begin);
    std::string what(error.description());
    const auto mentions = [&](std::string_view part) { return what.find(part) != std::string::npos; };
    std::string advice = fmt::format("correct it; {} shows the format", format.page);
    if (mentions("end-of-file")) {
        advice = "complete it: the file seems to be cut off here";
    } else if (mentions("could not determine value type")) {
        advice = "put text in quotation marks, as in name = \"s0\"";
    } else if (mentions("redefine") && mentions(fmt::format("'{}'", format.repeated_table))) {
        advice = advice_for_repeated(format.repeated_table);
    } else if (!format.other_repeated_table.empty() && mentions("redefine") &&
               mentions(fmt::format("'{}'", format.other_repeated_table))) {
        advice = advice_for_repeated(format.other_repeated_table);
    } else if (mentions("redefine")) {
        advice = "keep one of the two";
    } else if (mentions("utf-8")) {
        advice = "save the file as UTF-8 text";
        position = lines.next_outside_ascii(position);  // the parser points at the last character it could read
    }
    return {std::string(file), position.line, position.column, fmt::format("not valid TOML: {}", what),
            std::move(advice)};
}

}  // namespace

std::string_view without_byte_order_mark(std::string_view text) {
    if (text.starts_with(byte_order_mark)) {
        text.remove_prefix(byte_order_mark.size());
    }
    return text;
}

Expected<toml::table> parse_toml(std::string_view text, std::string_view file, Lines& lines, const TomlFormat& format) {
    if (text.size() > most_bytes_in_file) {
        return failure(
            file_mistake(std::string(file), "it is larger than 16 MiB", fmt::format("give {}", format.kind)));
    }
    if (const int line = line_with_deep_key(text); line > 0) {
        return failure({std::string(file), line, 1,
                        fmt::format("more than {} dots outside strings on this line", most_dots_on_a_line),
                        "the format has no keys of several parts"});
    }
    toml::parse_result result = toml::parse(text);
    if (!result) {
        return failure(syntax_mistake(result.error(), file, lines, format));
    }
    return std::move(result).table();
}

std::string_view describe_type(const toml::node& node) {
    switch (node.type()) {
        case toml::node_type::table:
            return "a table";
        case toml::node_type::array:
            return "an array";
        case toml::node_type::string:
            return "a string";
        case toml::node_type::integer:
            return "an integer";
        case toml::node_type::floating_point:
            return "a floating-point number";
        case toml::node_type::boolean:
            return "a boolean";
        default:
            return "a date or time";
    }
}

void check_keys(const toml::table& table, std::string_view where, std::span<const std::string_view> known, Lines& lines,
                FirstMistake& mistake) {
    for (auto&& [key, value] : table) {
        if (std::find(known.begin(), known.end(), key.str()) == known.end()) {
            const auto nearest = nearest_word(key.str(), known);
            mistake.add(lines.position(key.source().begin),
                        fmt::format("unknown key {} {}", in_quotes(key.str()), where),
                        nearest ? fmt::format("did you mean '{}'?", *nearest)
                                : fmt::format("known here: {}", fmt::join(known, ", ")));
        }
    }
}

}  // namespace aapc
