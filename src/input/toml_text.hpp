/// @file
/// What the readers of TOML files share: the parser as this project compiles it in, places in bytes, and the first
/// mistake of several.
#pragma once

// The parser is compiled in, without exceptions: the core then throws nothing, and a preloaded interposer does not pull
// one more shared library into the user's program. The distribution's target asks for the opposite.
#undef TOML_HEADER_ONLY
#undef TOML_SHARED_LIB
#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
// Of a table whose name does not begin like one, as in "[.a]", the parser asserts that it does just before it finds out
// and says so. Optimised builds go on to that message; now all do.
#define TOML_ASSERT(expression) static_cast<void>(0)
#include <toml++/toml.h>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "aapc/input/diagnostic.hpp"
#include "input/first_mistake.hpp"

namespace aapc {

/// The text by lines, to turn the parser's positions, which count characters, into ours, which count bytes.
class Lines {
  public:
    explicit Lines(std::string_view text) : text_(text), lines_{{0, true}} {
        for (std::size_t at = 0; at < text.size(); ++at) {
            if (text[at] == '\n') {
                lines_.push_back({at + 1, true});
            } else if (static_cast<unsigned char>(text[at]) >= 0x80) {
                lines_.back().is_ascii = false;
            }
        }
    }

    /// The number of the last line, which is empty where the text ends with a line break.
    [[nodiscard]] int count() const { return static_cast<int>(lines_.size()); }

    [[nodiscard]] Position position(const toml::source_position& given) {
        if (given.line < 1) {
            return {};
        }
        const std::size_t line = std::min<std::size_t>(given.line, lines_.size()) - 1;
        const std::size_t character = given.column < 1 ? 0 : given.column - 1;
        return {static_cast<int>(line) + 1, static_cast<int>(byte_of(line, character)) + 1};
    }

    /// The first byte outside ASCII on the line, from `position` on, if there is one; otherwise `position`.
    [[nodiscard]] Position next_outside_ascii(Position position) const {
        const std::size_t start = lines_[static_cast<std::size_t>(position.line) - 1].start;
        for (std::size_t at = start + static_cast<std::size_t>(position.column) - 1;
             at < text_.size() && text_[at] != '\n'; ++at) {
            if (static_cast<unsigned char>(text_[at]) >= 0x80) {
                return {position.line, static_cast<int>(at - start) + 1};
            }
        }
        return position;
    }

    /// The position of the character at `offset` in the string `value` that stands at `position`, or the string's own
    /// where escapes or several lines keep the two from agreeing.
    [[nodiscard]] Position inside(Position position, std::string_view value, int offset) const {
        const std::size_t start =
            lines_[static_cast<std::size_t>(position.line) - 1].start + static_cast<std::size_t>(position.column);
        if (start <= text_.size() && text_.substr(start, value.size()) == value &&
            value.find('\n') == std::string_view::npos) {
            position.column += offset;
        }
        return position;
    }

  private:
    struct Line {
        std::size_t start;
        bool is_ascii;
    };

    /// The byte of a line at which its character starts, both from 0; the line's end for characters beyond, such as
    /// those behind the end of the file that the parser counts.
    [[nodiscard]] std::size_t byte_of(std::size_t line, std::size_t character) {
        const std::size_t start = lines_[line].start;
        const std::size_t end = line + 1 < lines_.size() ? lines_[line + 1].start - 1 : text_.size();
        if (lines_[line].is_ascii) {
            return std::min(character, end - start);
        }
        // One line is kept, so that a file written on one long line costs no more than one of many lines.
        if (line != indexed_line_) {
            indexed_line_ = line;
            character_starts_.clear();
            for (std::size_t at = start; at < end; ++at) {
                if ((static_cast<unsigned char>(text_[at]) & 0xc0U) != 0x80) {
                    character_starts_.push_back(at - start);
                }
            }
            character_starts_.push_back(end - start);
        }
        return character_starts_[std::min(character, character_starts_.size() - 1)];
    }

    std::string_view text_;
    std::vector<Line> lines_;
    std::size_t indexed_line_ = static_cast<std::size_t>(-1);
    std::vector<std::size_t> character_starts_;
};

/// What the messages about one format mention.
struct TomlFormat {
    std::string_view kind;                       ///< "a topology file"
    std::string_view page;                       ///< that describes it: "docs/topology-files.md"
    std::string_view repeated_table;             ///< that is written in double brackets: "switch"
    std::string_view other_repeated_table = {};  ///< another, if there is one
};

/// Parses `text`, which `lines` was made of. Refuses what the parser could not stand: more than 16 MiB, or keys of very
/// many parts.
[[nodiscard]] Expected<toml::table> parse_toml(std::string_view text, std::string_view file, Lines& lines,
                                               const TomlFormat& format);

/// Without the byte order mark that some editors put first.
[[nodiscard]] std::string_view without_byte_order_mark(std::string_view text);

/// "an integer", "a table" and so on.
[[nodiscard]] std::string_view describe_type(const toml::node& node);

/// Adds a mistake for every key of `table` that is not `known`; `where` is "in [network]".
void check_keys(const toml::table& table, std::string_view where, std::span<const std::string_view> known, Lines& lines,
                FirstMistake& mistake);

}  // namespace aapc
