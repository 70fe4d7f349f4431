#include "archive/learned.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "input/fnv1a.hpp"

namespace aapc::selection {

namespace {

/// How far what was learned at one size is trusted at others.
constexpr std::int64_t octave = 2;

constexpr std::string_view start_of_end = "[end]\n";
/// "[end]", "checksum = "fnv1a:0123456789abcdef"" and the ends of both lines.
constexpr std::size_t length_of_end = start_of_end.size() + sizeof("checksum = \"fnv1a:0123456789abcdef\"\n") - 1;
constexpr std::string_view format_line = "\nformat = \"aapc-tuning/";
/// Such files begin with two lines of remarks before the one that names the format.
constexpr std::size_t longest_beginning = 512;

/// Before the next tuning in the file begins.
std::size_t end_of_section(std::string_view text, std::size_t from) {
    const std::size_t end = text.find(fmt::format("\n{}", start_of_end), from);
    return end == std::string_view::npos ? text.size() : std::min(end + 1 + length_of_end, text.size());
}

bool is_sealed(std::string_view section) {
    if (section.size() <= length_of_end) {
        return false;
    }
    const std::string_view content = section.substr(0, section.size() - length_of_end);
    return section.substr(content.size()) == fmt::format("{}checksum = \"{}\"\n", start_of_end, fnv1a_text(content));
}

int line_of(std::string_view text, std::size_t at) {
    return static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n')) + 1;
}

/// Whether it was made for the same fingerprint, except the placement and the messages. Its text shows that before it
/// is read, so that sections of other versions and networks need not be understood.
bool seems_to_be_for(std::string_view section, const Fingerprint& here) {
    return section.find(fmt::format("\naapc = \"{}\"\n", here.aapc_version)) != std::string_view::npos &&
           section.find(fmt::format("\ntopology = \"{}\"\n", here.topology_digest)) != std::string_view::npos;
}

bool is_for(const Fingerprint& section, const Fingerprint& here) {
    return section.aapc_version == here.aapc_version && section.topology_digest == here.topology_digest &&
           (here.mpi.empty() || section.mpi == here.mpi) &&
           (here.mpi_version.empty() || section.mpi_version == here.mpi_version);
}

bool same_job(const Fingerprint& left, const Fingerprint& right) {
    return is_for(left, right) && left.machine_of == right.machine_of && left.unequal == right.unequal;
}

/// Adds what a section knows to what has been learned since for the same, and says whether it did.
bool absorb(const std::string& section, std::vector<Tuning>& since, NetworkKind kind) {
    const bool candidate = std::any_of(
        since.begin(), since.end(), [&](const Tuning& tuning) { return seems_to_be_for(section, tuning.fingerprint); });
    if (!candidate) {
        return false;
    }
    const auto older = read_tuning(section, "", kind);
    if (!older || older->conditions.calls == 0) {
        return false;
    }
    const auto newer = std::find_if(since.begin(), since.end(), [&](const Tuning& tuning) {
        return same_job(tuning.fingerprint, older->fingerprint);
    });
    if (newer == since.end()) {
        return false;
    }
    newer->ranges = learned_ranges(merged(learned_sizes(*newer), learned_sizes(*older)));
    newer->conditions.calls += older->conditions.calls;
    newer->conditions.duration_seconds += older->conditions.duration_seconds;
    return true;
}

}  // namespace

std::vector<LearnedSize> learned_sizes(const Tuning& tuning) {
    std::vector<LearnedSize> sizes;
    for (const TunedRange& range : tuning.ranges) {
        for (const MeasuredSize& measured : range.measured) {
            sizes.push_back({range.method, measured});
        }
    }
    return sizes;
}

std::vector<TunedRange> learned_ranges(const std::vector<LearnedSize>& sizes) {
    std::vector<TunedRange> ranges = {{0, Method{}, {}}};
    const auto begin = [&](std::int64_t from_bytes, const Method& method) {
        if (ranges.back().method != method) {
            ranges.push_back({from_bytes, method, {}});
        }
    };
    std::int64_t before = 0;  // the size before; 0: there is none
    for (const LearnedSize& size : sizes) {
        const std::int64_t bytes = size.measured.bytes;
        const std::int64_t first = std::max<std::int64_t>(bytes / octave, 1);
        if (before == 0 || before * octave < first) {
            if (before > 0) {
                begin(before * octave, Method{});
            }
            begin(first, size.method);
        } else {
            const auto middle =
                static_cast<std::int64_t>(std::sqrt(static_cast<double>(before) * static_cast<double>(bytes)));
            begin(std::clamp(middle, before + 1, bytes), size.method);
        }
        ranges.back().measured.push_back(size.measured);
        before = bytes;
    }
    if (before > 0) {
        begin(before * octave, Method{});
    }
    return ranges;
}

std::vector<LearnedSize> merged(std::vector<LearnedSize> newer, const std::vector<LearnedSize>& older) {
    for (const LearnedSize& size : older) {
        const bool known = std::any_of(newer.begin(), newer.end(), [&](const LearnedSize& other) {
            return other.measured.bytes == size.measured.bytes;
        });
        if (!known) {
            newer.push_back(size);
        }
    }
    std::sort(newer.begin(), newer.end(), [](const LearnedSize& left, const LearnedSize& right) {
        return left.measured.bytes < right.measured.bytes;
    });
    return newer;
}

const Method* learned_method(const Tuning& tuning, std::int64_t bytes) {
    const Method* nearest = nullptr;
    double least = std::log2(static_cast<double>(octave)) + 1e-9;
    for (const TunedRange& range : tuning.ranges) {
        for (const MeasuredSize& measured : range.measured) {
            const double distance =
                std::abs(std::log2(static_cast<double>(measured.bytes) / static_cast<double>(bytes)));
            if (distance < least) {
                least = distance;
                nearest = &range.method;
            }
        }
    }
    return nearest;
}

LearnedFile take_apart_learned(std::string_view text, std::string_view file) {
    LearnedFile found;
    const std::size_t format = text.find(format_line);
    found.ours = text.empty() || format < longest_beginning;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = end_of_section(text, at);
        const std::string_view section = text.substr(at, end - at);
        if (is_sealed(section)) {
            found.sections.emplace_back(section);
        } else if (!found.damage) {
            found.damage = Diagnostic{.file = std::string(file),
                                      .line = line_of(text, at),
                                      .problem = found.ours ? "what was learned is damaged from here on"
                                                            : "this is no file of what was learned",
                                      .advice = found.ours ? "remove it, or let it be replaced"
                                                           : "give another one, or one that does not exist yet"};
        }
        at = end;
    }
    return found;
}

Expected<std::vector<Tuning>> sections_for(const LearnedFile& learned, const Fingerprint& here, NetworkKind kind,
                                           std::string_view file) {
    std::vector<Tuning> found;
    for (const std::string& section : learned.sections) {
        if (!seems_to_be_for(section, here)) {
            continue;
        }
        auto tuning = read_tuning(section, file, kind);
        if (!tuning) {
            return failure(std::move(tuning.error()));
        }
        if (is_for(tuning->fingerprint, here)) {
            found.push_back(std::move(*tuning));
        }
    }
    return found;
}

void add_learned(std::vector<Tuning>& learned, Tuning more) {
    const auto same = std::find_if(learned.begin(), learned.end(),
                                   [&](const Tuning& other) { return same_job(other.fingerprint, more.fingerprint); });
    if (same == learned.end()) {
        learned.push_back(std::move(more));
        return;
    }
    same->ranges = learned_ranges(merged(learned_sizes(more), learned_sizes(*same)));
    same->conditions.calls += more.conditions.calls;
    same->conditions.duration_seconds += more.conditions.duration_seconds;
}

std::string with_learned(const LearnedFile& before, const std::vector<Tuning>& since, NetworkKind kind) {
    std::vector<Tuning> together;
    for (const Tuning& tuning : since) {
        add_learned(together, tuning);
    }
    std::vector<std::string> sections;
    for (const std::string& section : before.sections) {
        if (!absorb(section, together, kind)) {
            sections.push_back(section);
        }
    }
    for (const Tuning& tuning : together) {
        sections.push_back(tuning_text(tuning));
    }
    const std::size_t dropped = sections.size() - std::min(sections.size(), most_learned_sections);
    std::string text;
    for (std::size_t index = dropped; index < sections.size(); ++index) {
        text += sections[index];
    }
    return text;
}

}  // namespace aapc::selection
