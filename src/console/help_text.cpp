#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "console/command_text.hpp"
#include "input/environment.hpp"
#include "input/lines.hpp"
#include "input/wording.hpp"

namespace aapc::cli {

namespace {

constexpr std::size_t default_width = 100;
constexpr std::size_t widest = 120;  ///< longer lines are hard to read
constexpr std::size_t narrowest = 40;
constexpr std::size_t widest_left_column = 30;

/// A line of a list: what it is about, and what is said of it.
struct Entry {
    std::string left;
    std::string right;
};

/// "-o, --output FILE".
std::string left_of(const OptionText& option) {
    return fmt::format("{}{}{}", fmt::join(option.names, ", "), option.value.empty() ? "" : " ", option.value);
}

std::string list_text(const std::string& heading, const std::vector<Entry>& entries, std::size_t width) {
    if (entries.empty()) {
        return "";
    }
    std::size_t column = 0;
    for (const Entry& entry : entries) {
        if (const std::size_t end = entry.left.size() + 4; end <= widest_left_column) {
            column = std::max(column, end);
        }
    }
    column = std::max<std::size_t>(column, 8);
    std::string text = fmt::format("\n{}:\n", heading);
    for (const auto& [left, right] : entries) {
        const bool fits = left.size() + 4 <= column;
        text += fits ? fmt::format("  {:{}}", left, column - 2) : fmt::format("  {}\n{:{}}", left, "", column);
        text += wrapped(right, width, column) + "\n";
    }
    return text;
}

std::string commands_text(const CommandText& program, std::size_t width) {
    std::vector<std::string> groups;
    for (const CommandText& command : program.commands) {
        if (std::find(groups.begin(), groups.end(), command.group) == groups.end()) {
            groups.push_back(command.group);
        }
    }
    std::string text;
    for (const std::string& group : groups) {
        std::vector<Entry> entries;
        for (const CommandText& command : program.commands) {
            if (command.group == group) {
                entries.push_back({fmt::format("{:10}", command.last_name()), command.summary});
            }
        }
        text += list_text(group, entries, width);
    }
    return text;
}

}  // namespace

std::string wrapped(std::string_view text, std::size_t width, std::size_t indent) {
    const std::size_t room = std::max<std::size_t>(width > indent ? width - indent : 0, 20);
    std::string lines;
    std::size_t used = 0;
    while (!text.empty()) {
        const std::string_view word = text.substr(0, text.find(' '));
        text.remove_prefix(std::min(word.size() + 1, text.size()));
        if (used > 0 && used + 1 + word.size() > room) {
            lines += "\n" + std::string(indent, ' ');
            used = 0;
        }
        lines += used > 0 ? " " : "";
        lines += word;
        used += word.size() + (used > 0 ? 1 : 0);
    }
    return lines;
}

std::string notes_text(std::string_view notes, std::size_t width) {
    std::string text;
    while (!notes.empty()) {
        const std::string_view line = take_line(notes);
        const std::size_t left = line.starts_with(' ') ? line.find_first_not_of(' ') : std::string_view::npos;
        const std::size_t left_end = left == std::string_view::npos ? left : line.find(' ', left);
        if (left_end == std::string_view::npos) {
            text += wrapped(line, width, 0) + "\n";
            continue;
        }
        const std::size_t right = line.find_first_not_of(' ', left_end);
        const bool fits = right <= width / 2;
        const std::size_t column = fits ? right : left + 6;
        text +=
            fits ? std::string(line.substr(0, right)) : fmt::format("{}\n{:{}}", line.substr(0, left_end), "", column);
        text += wrapped(line.substr(right), width, column) + "\n";
    }
    return text;
}

std::string CommandText::usage() const {
    std::string text = name + (commands.empty() ? "" : " COMMAND") + " [OPTION]...";
    for (const OptionText& option : options) {
        if (!option.place.empty()) {
            const bool behind_dashes = option.value.starts_with("-- ");
            const std::string word = behind_dashes ? option.value : option.place + (option.several ? "..." : "");
            text += option.required ? " " + word : " [" + word + "]";
        }
    }
    return text;
}

std::size_t help_width() {
    winsize size{};
    std::size_t columns = 0;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) {
        columns = size.ws_col;
    } else {
        const std::string variable = environment_variable("COLUMNS");
        std::from_chars(variable.data(), variable.data() + variable.size(), columns);
    }
    return columns == 0 ? default_width : std::clamp(columns, narrowest, widest);
}

std::string help_text(const CommandText& command, std::size_t width) {
    std::string text = fmt::format("Usage: {}\n\n{}\n", command.usage(), wrapped(command.summary, width, 0));
    if (!command.examples.empty()) {
        text += "\nExamples:\n";
        for (const ExampleText& example : command.examples) {
            text += fmt::format("  {}\n      {}\n", example.command, wrapped(example.meaning, width, 6));
        }
    }
    text += commands_text(command, width);
    std::vector<Entry> places;
    std::vector<Entry> options;
    for (const OptionText& option : command.options) {
        if (option.names.empty()) {
            places.push_back({option.place, option.help});
        } else if (option.place.empty()) {
            options.push_back({left_of(option), option.help});
        } else {
            places.push_back({option.place, fmt::format("the same as {}", option.names.back())});
            options.push_back({left_of(option), option.help});
        }
    }
    text += list_text("Arguments", places, width) + list_text("Options", options, width);
    if (!command.more.empty()) {
        text += "\n" + notes_text(command.more, width);
    }
    return text;
}

Diagnostic no_such_word(std::string command, std::string_view what, std::string_view word,
                        const std::vector<std::string_view>& candidates, std::string otherwise) {
    const auto nearest = nearest_word(word, candidates);
    return {.file = std::move(command),
            .problem = fmt::format("there is no {} '{}'", what, word),
            .advice = nearest ? fmt::format("did you mean {}?", *nearest) : std::move(otherwise)};
}

}  // namespace aapc::cli
