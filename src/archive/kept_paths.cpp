#include "archive/kept_paths.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>

#include "input/fnv1a.hpp"
#include "input/lines.hpp"
#include "input/numbers.hpp"

namespace aapc {

namespace {

constexpr std::string_view kept_title = "aapc paths 1";
constexpr std::string_view kept_section = "of ";

/// Six numbers in their ranges; nothing else is a pair.
std::optional<KeptPair> read_pair(std::string_view line) {
    constexpr int ranks_end = 1 << 24;
    constexpr int ports_end = std::numeric_limits<std::uint16_t>::max() + 1;
    constexpr std::array<std::array<int, 2>, 6> ranges{
        {{0, ranks_end}, {0, ranks_end}, {1, ports_end}, {1, ports_end}, {1, ports_end}, {0, kept_shares + 1}}};
    std::array<int, ranges.size()> numbers{};
    for (std::size_t index = 0; index < numbers.size(); ++index) {
        const bool is_last = index + 1 == numbers.size();
        const std::size_t end = is_last ? line.size() : line.find(' ');
        const auto number = parse_number<int>(line.substr(0, end));
        if (end == std::string_view::npos || !number || *number < ranges[index][0] || *number >= ranges[index][1]) {
            return std::nullopt;
        }
        numbers[index] = *number;
        line.remove_prefix(std::min(end + 1, line.size()));
    }
    if (numbers[0] == numbers[1] || numbers[3] == numbers[4]) {
        return std::nullopt;
    }
    const auto port = [&](std::size_t index) { return static_cast<std::uint16_t>(numbers[index]); };
    return KeptPair{numbers[0], numbers[1], port(2), {port(3), port(4)}, numbers[5]};
}

Diagnostic mistake_in(std::string_view file, int line, std::string problem) {
    return {.file = std::string(file), .line = line, .problem = std::move(problem)};
}

Expected<std::vector<KeptPaths>> read_sections_from(std::string_view text, std::string_view file, int line_number) {
    std::vector<KeptPaths> sections;
    for (; !text.empty(); ++line_number) {
        const std::string_view line = take_line(text);
        if (line.starts_with(kept_section)) {
            const std::string_view key = line.substr(kept_section.size());
            if (sections.empty() || sections.back().key != key) {
                sections.push_back({std::string(key), {}});
            }
            continue;
        }
        const std::optional<KeptPair> pair = read_pair(line);
        if (!pair || sections.empty()) {
            return failure(mistake_in(file, line_number, "this is no pair of connections"));
        }
        sections.back().pairs.push_back(*pair);
    }
    return sections;
}

}  // namespace

std::string kept_paths_key(const Fingerprint& fingerprint) {
    std::string text = fingerprint.topology_digest;
    for (const std::string& machine : fingerprint.machine_of) {
        text += '\n';
        text += machine;
    }
    return fnv1a_text(text);
}

std::string kept_paths_text(const KeptPaths& paths) {
    fmt::memory_buffer text;
    fmt::format_to(std::back_inserter(text), "{}{}\n", kept_section, paths.key);
    for (const KeptPair& pair : paths.pairs) {
        fmt::format_to(std::back_inserter(text), "{} {} {} {} {} {}\n", pair.from, pair.to, pair.listens, pair.ports[0],
                       pair.ports[1], pair.share);
    }
    return fmt::to_string(text);
}

Expected<std::vector<KeptPaths>> read_kept_sections(std::string_view text, std::string_view file) {
    return read_sections_from(text, file, 1);
}

std::string kept_paths_file(const std::vector<KeptPaths>& sections) {
    std::string text;
    for (const KeptPaths& section : sections) {
        text += kept_paths_text(section);
    }
    return fmt::format("{}\n{}\n{}", kept_title, fnv1a_text(text), text);
}

Expected<std::vector<KeptPaths>> read_kept_paths(std::string_view text, std::string_view file) {
    if (take_line(text) != kept_title) {
        return failure(mistake_in(file, 1, "this is no file of paths"));
    }
    const std::string_view checksum = take_line(text);
    if (checksum != fnv1a_text(text)) {
        return failure(mistake_in(file, 2, "the checksum is wrong"));
    }
    constexpr int first_section = 3;
    return read_sections_from(text, file, first_section);
}

void add_kept_paths(std::vector<KeptPaths>& sections, std::vector<KeptPaths> since) {
    for (KeptPaths& one : since) {
        std::erase_if(sections, [&](const KeptPaths& old) { return old.key == one.key; });
        sections.push_back(std::move(one));
    }
    std::size_t pairs = 0;
    std::size_t kept = 0;
    while (kept < sections.size() && pairs + sections[sections.size() - kept - 1].pairs.size() <= most_kept_pairs) {
        pairs += sections[sections.size() - kept - 1].pairs.size();
        ++kept;
    }
    sections.erase(sections.begin(), sections.end() - static_cast<std::ptrdiff_t>(kept));
}

}  // namespace aapc
