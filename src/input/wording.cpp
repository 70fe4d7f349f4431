#include "input/wording.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

namespace aapc {

namespace {

constexpr std::size_t most_bytes_quoted = 60;
constexpr std::size_t most_differences = 2;

/// Levenshtein distance, or anything above most_differences once it is known to be above.
std::size_t differences(std::string_view left, std::string_view right) {
    std::vector<std::size_t> row(right.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < left.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i + 1;
        for (std::size_t j = 0; j < right.size(); ++j) {
            const std::size_t replaced = diagonal + (left[i] == right[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
        }
        if (*std::min_element(row.begin(), row.end()) > most_differences) {
            return most_differences + 1;
        }
    }
    return row.back();
}

bool is_letter_or_digit(char character) {
    return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') ||
           (character >= '0' && character <= '9');
}

}  // namespace

std::string in_quotes(std::string_view text) {
    if (text.size() <= most_bytes_quoted) {
        return fmt::format("'{}'", text);
    }
    std::size_t end = most_bytes_quoted;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80) {
        --end;  // not in the middle of a UTF-8 sequence
    }
    return fmt::format("'{}...'", text.substr(0, end));
}

std::string_view trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t\r");
    return first == std::string_view::npos ? std::string_view()
                                           : text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::optional<std::string_view> nearest_word(std::string_view word, std::span<const std::string_view> candidates) {
    std::optional<std::string_view> nearest;
    std::size_t fewest = std::min(most_differences + 1, word.size());
    for (const std::string_view candidate : candidates) {
        const auto [shorter, longer] = std::minmax({word.size(), candidate.size()});
        if (longer - shorter >= fewest) {
            continue;
        }
        if (const std::size_t count = differences(word, candidate); count < fewest) {
            fewest = count;
            nearest = candidate;
        }
    }
    return nearest;
}

std::string choice_of(std::string_view word, std::span<const std::string_view> candidates) {
    const auto nearest = nearest_word(word, candidates);
    return fmt::format("{}choose one of: {}", nearest ? fmt::format("did you mean '{}'? ", *nearest) : "",
                       fmt::join(candidates, ", "));
}

std::string describe_character(char character) {
    const auto byte = static_cast<unsigned char>(character);
    switch (character) {
        case ' ':
            return "a space";
        case '\t':
            return "a tabulator";
        case '\n':
        case '\r':
            return "a line break";
        case '"':
        case '\'':
        case '`':
            return "a quotation mark";
        default:
            break;
    }
    if (byte < 0x20 || byte == 0x7f) {
        return fmt::format("a control character (0x{:02x})", byte);
    }
    if (byte >= 0x80) {
        return "a character outside ASCII";
    }
    return fmt::format("'{}'", character);
}

bool is_name_start(char character) { return is_letter_or_digit(character); }

bool is_name_character(char character) {
    return is_letter_or_digit(character) || character == '-' || character == '_' || character == '.';
}

std::string plain_name(std::string name) {
    std::replace_if(
        name.begin(), name.end(), [](char character) { return !is_name_character(character); }, '-');
    name.resize(std::min(name.size(), max_name_length));
    return name.empty() || !is_name_start(name.front()) ? "" : name;
}

std::optional<Diagnostic> name_mistake(std::string_view name, std::string_view what) {
    if (name.empty()) {
        return Diagnostic{.column = 1,
                          .problem = fmt::format("the name of a {} is empty", what),
                          .advice = "give it a name of letters, digits, '-', '_', '.'"};
    }
    for (std::size_t at = 0; at < name.size(); ++at) {
        if (!is_name_character(name[at])) {
            return Diagnostic{.column = static_cast<int>(at) + 1,
                              .problem = fmt::format("{} in the name of a {}", describe_character(name[at]), what),
                              .advice = "use letters, digits, '-', '_' and '.' only"};
        }
    }
    if (!is_name_start(name.front())) {
        return Diagnostic{.column = 1,
                          .problem = fmt::format("the name of a {} starts with '{}'", what, name.front()),
                          .advice = "let it start with a letter or a digit"};
    }
    if (name.size() > max_name_length) {
        return Diagnostic{.column = 1,
                          .problem = fmt::format("the name of a {} has {} characters", what, name.size()),
                          .advice = fmt::format("use at most {}", max_name_length)};
    }
    return std::nullopt;
}

}  // namespace aapc
