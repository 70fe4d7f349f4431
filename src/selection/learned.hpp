/// @file
/// What jobs have learned and the next ones start from (AAPC_LEARNED): one tuning file after the other, one for each
/// placement and kind of messages, the newest last. Knows no MPI and no file system.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aapc/input/diagnostic.hpp"
#include "aapc/selection/tuning.hpp"

namespace aapc::selection {

/// A file keeps so many tunings; the oldest go first.
inline constexpr std::size_t most_learned_sections = 256;

/// What was learned of one size: the fastest method, and its times beside the MPI's own.
struct LearnedSize {
    Method method;
    MeasuredSize measured;

    friend bool operator==(const LearnedSize&, const LearnedSize&) = default;
};

/// All sizes of a tuning, ascending.
[[nodiscard]] std::vector<LearnedSize> learned_sizes(const Tuning& tuning);

/// Ranges in which these sizes (ascending) lie: a method serves sizes up to an octave from one that it was learned at,
/// and up to the geometric middle between two; elsewhere the MPI's own does.
[[nodiscard]] std::vector<TunedRange> learned_ranges(const std::vector<LearnedSize>& sizes);

/// Both, ascending; of a size that both know what `newer` says.
[[nodiscard]] std::vector<LearnedSize> merged(std::vector<LearnedSize> newer, const std::vector<LearnedSize>& older);

/// The method that was the fastest at the nearest size within an octave; null: nothing is known there.
[[nodiscard]] const Method* learned_method(const Tuning& tuning, std::int64_t bytes);

/// A file, taken apart.
struct LearnedFile {
    std::vector<std::string> sections;  ///< whole tuning files, each with the right checksum
    std::optional<Diagnostic> damage;   ///< the first thing that is wrong; nothing: every byte is in a section
    bool ours = true;                   ///< it is empty or begins as such files do; if not, nobody may overwrite it
};
[[nodiscard]] LearnedFile take_apart_learned(std::string_view text, std::string_view file);

/// What the sections say of networks of that kind under the fingerprint `here`, whatever the placement and the
/// messages. Under any MPI, or any version of it, where `here` has none. A section that cannot be read though it seems
/// to be for this is a diagnostic. O(text).
[[nodiscard]] Expected<std::vector<Tuning>> sections_for(const LearnedFile& learned, const Fingerprint& here,
                                                         NetworkKind kind, std::string_view file);

/// Puts `more` among what has been learned, together with what is of the same fingerprint.
void add_learned(std::vector<Tuning>& learned, Tuning more);

/// The text of the file with what has been learned since. A section of the same fingerprint is merged with it, unless
/// aapc tune has made it, and all others stay as they are.
[[nodiscard]] std::string with_learned(const LearnedFile& before, const std::vector<Tuning>& since, NetworkKind kind);

}  // namespace aapc::selection
