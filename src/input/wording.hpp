/// @file
/// How the readers of user input talk about that input: quoting, the nearest known word, the rules for names.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "aapc/input/diagnostic.hpp"

namespace aapc {

/// Longest name of a machine or switch: what DNS allows. It also keeps a padded bracket from filling the memory.
inline constexpr std::size_t max_name_length = 255;

/// 'text' in single quotes, cut after 60 bytes; control characters are to_string(Diagnostic)'s business.
[[nodiscard]] std::string in_quotes(std::string_view text);

/// Without the blanks, tabs and carriage returns at its ends.
[[nodiscard]] std::string_view trimmed(std::string_view text);

/// The candidate that differs from `word` by the fewest inserted, removed or replaced characters, if by at most two and
/// fewer than the word is long; the first of several. O(candidates · length).
[[nodiscard]] std::optional<std::string_view> nearest_word(std::string_view word,
                                                           std::span<const std::string_view> candidates);

/// Advice where `word` is none of them: the nearest one, if there is one, and all: "did you mean 'bruck'? choose one
/// of: tree, bruck".
[[nodiscard]] std::string choice_of(std::string_view word, std::span<const std::string_view> candidates);

/// A quotation mark, "a line break" and so on: a character that cannot stand in a name, in words.
[[nodiscard]] std::string describe_character(char character);

[[nodiscard]] bool is_name_start(char character);
[[nodiscard]] bool is_name_character(char character);

/// A name as topology files allow it: other characters become '-', and it is cut to the longest length. Empty if it
/// does not begin as a name must.
[[nodiscard]] std::string plain_name(std::string name);

/// What is wrong with `name` as a name of a switch or a machine (`what`: "switch"), with Diagnostic::column as the
/// 1-based offset in `name`, or nothing.
[[nodiscard]] std::optional<Diagnostic> name_mistake(std::string_view name, std::string_view what);

}  // namespace aapc
