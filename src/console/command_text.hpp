/// @file
/// A command line as data, and what is written from it: help, manual pages and completion for shells. One source, so
/// that none of them says what the others do not.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "aapc/input/diagnostic.hpp"

namespace aapc::cli {

/// An option, or a word at its place.
struct OptionText {
    std::vector<std::string> names;    ///< "-o", "--output"; empty for what is only a word at its place
    std::string place;                 ///< "FILE": what the word at its place is called; empty for what has none
    std::string value;                 ///< "SIZE,..."; empty for a flag
    std::string help;                  ///< what it means, and its default and its variable if it has them
    std::vector<std::string> choices;  ///< all that it may be; empty where anything may be given
    bool required = false;
    bool several = false;

    /// Whether it is a program with its arguments, behind "--".
    [[nodiscard]] bool is_program() const { return names.empty() && value.starts_with("-- "); }
};

struct ExampleText {
    std::string command;
    std::string meaning;
};

struct CommandText {
    std::string name;     ///< "aapc topology"
    std::string group;    ///< of the commands in the help of the program
    std::string summary;  ///< a sentence
    std::vector<OptionText> options;
    std::vector<ExampleText> examples;
    std::string more;  ///< notes at the end: a paragraph or an entry of a list on each line
    std::vector<CommandText> commands;

    /// "topology".
    [[nodiscard]] std::string_view last_name() const { return std::string_view(name).substr(name.rfind(' ') + 1); }
    /// "aapc topology [OPTION]... FILE".
    [[nodiscard]] std::string usage() const;
};

/// Of the command line of `command`: there is no `what` ("command", "option") of that name. Names the nearest
/// candidate, or else advises `otherwise`.
[[nodiscard]] Diagnostic no_such_word(std::string command, std::string_view what, std::string_view word,
                                      const std::vector<std::string_view>& candidates, std::string otherwise);

/// The columns of the terminal behind standard output, or of COLUMNS; 100 where neither says.
[[nodiscard]] std::size_t help_width();

/// What --help prints, in lines of `width` columns; commands by their groups.
[[nodiscard]] std::string help_text(const CommandText& command, std::size_t width);

/// A page for man(1), section 1, in the man macros. `version` is the program's: "aapc 0.4.0". `others` are the names of
/// further pages.
[[nodiscard]] std::string manual_page(const CommandText& command, std::string_view version,
                                      const std::vector<std::string>& others);

/// A variable of the environment, for a page.
struct VariableText {
    std::string name;
    std::string option;  ///< of aapc exec, which sets it; empty if there is none
    std::string meaning;
};

/// The page aapc-environment(7), in the man macros.
[[nodiscard]] std::string variables_page(const std::vector<VariableText>& variables, std::string_view version);

/// The shells for which there is a completion.
inline constexpr std::string_view completed_shells[] = {"bash", "zsh", "fish"};

/// A script for `shell`, one of completed_shells, that completes commands, options, their values and names of files.
[[nodiscard]] std::string completion_script(const CommandText& program, std::string_view shell);

/// `text` in lines of at most `width` columns, each behind `indent` spaces but for the first; words are not broken.
[[nodiscard]] std::string wrapped(std::string_view text, std::size_t width, std::size_t indent);

/// Notes of a command, each line wrapped; indented lines as a list, from where their second word begins.
[[nodiscard]] std::string notes_text(std::string_view notes, std::size_t width);

}  // namespace aapc::cli
