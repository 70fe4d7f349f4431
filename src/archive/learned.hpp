/// @file
/// The evidence that jobs leave for the next ones (AAPC_LEARNED): a sequence of tuning files, one for each placement
/// and kind of messages, the newest last. Knows no MPI and no file system.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aapc/archive/tuning.hpp"
#include "aapc/input/diagnostic.hpp"

namespace aapc::selection {

/// The most tunings that a file keeps; the oldest are dropped first.
inline constexpr std::size_t most_learned_sections = 256;

/// The evidence for one size: the fastest method, and its times beside native.
struct LearnedSize {
    Method method;
    MeasuredSize measured;

    friend bool operator==(const LearnedSize&, const LearnedSize&) = default;
};

/// All sizes of a tuning, ascending.
[[nodiscard]] std::vector<LearnedSize> learned_sizes(const Tuning& tuning);

/// Ranges in which these sizes (ascending) lie: a method serves sizes up to an octave from one that it was learned at,
/// and up to the geometric middle between two; elsewhere native does.
[[nodiscard]] std::vector<TunedRange> learned_ranges(const std::vector<LearnedSize>& sizes);

/// Both, ascending; `newer` wins for a size in both.
[[nodiscard]] std::vector<LearnedSize> merged(std::vector<LearnedSize> newer, const std::vector<LearnedSize>& older);

/// The method that was the fastest at the nearest size within an octave; null if none is known there.
[[nodiscard]] const Method* learned_method(const Tuning& tuning, std::int64_t bytes);

/// A file, split into its sections.
struct LearnedFile {
    std::vector<std::string> sections;  ///< whole tuning files, each with the right checksum
    std::optional<Diagnostic> damage;   ///< the first mistake; nullopt if every byte is in a section
    bool ours = true;                   ///< it is empty or begins as such files do; if not, it must not be overwritten
};
[[nodiscard]] LearnedFile take_apart_learned(std::string_view text, std::string_view file);

/// The sections for networks of that kind under the fingerprint `here`, whatever the placement and the messages. For
/// any MPI, or any version of it, if `here` has none. An unreadable section that seems to be for this is a diagnostic.
/// O(text).
[[nodiscard]] Expected<std::vector<Tuning>> sections_for(const LearnedFile& learned, const Fingerprint& here,
                                                         NetworkKind kind, std::string_view file);

/// Adds `more` to `learned`, merged with the tuning of the same fingerprint.
void add_learned(std::vector<Tuning>& learned, Tuning more);

/// The text of the file with what has been learned since. A section of the same fingerprint is merged with it, unless
/// aapc tune has made it, and all others stay as they are.
[[nodiscard]] std::string with_learned(const LearnedFile& before, const std::vector<Tuning>& since, NetworkKind kind);

}  // namespace aapc::selection
