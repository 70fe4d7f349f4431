/// @file
/// The ports and shares of connections that jobs leave for the next ones, beside the file of AAPC_LEARNED: a section
/// for each network and placement, the newest last. Knows no MPI and no file system.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "aapc/archive/tuning.hpp"
#include "aapc/input/diagnostic.hpp"
#include "aapc/topology/placement.hpp"

namespace aapc {

/// The two connections from one rank to another.
struct KeptPair {
    Rank from = 0;
    Rank to = 0;
    std::uint16_t listens = 0;             ///< the port of `to` that they end at
    std::array<std::uint16_t, 2> ports{};  ///< of `from`
    int share = 0;                         ///< of the segments, that the first one carries; in parts of kept_shares

    friend bool operator==(const KeptPair&, const KeptPair&) = default;
};
inline constexpr int kept_shares = 1024;

/// What one communicator has left.
struct KeptPaths {
    std::string key;  ///< kept_paths_key()
    std::vector<KeptPair> pairs;

    friend bool operator==(const KeptPaths&, const KeptPaths&) = default;
};

/// Pairs that a file keeps in all; the oldest sections are dropped first.
inline constexpr std::size_t most_kept_pairs = std::size_t{1} << 17U;

/// What differs between communicators whose paths differ: their network, and the machine of each rank.
[[nodiscard]] std::string kept_paths_key(const Fingerprint& fingerprint);

/// The lines of a section.
[[nodiscard]] std::string kept_paths_text(const KeptPaths& paths);
/// Sections, one after the other. Those of the same key that follow each other are one.
[[nodiscard]] Expected<std::vector<KeptPaths>> read_kept_sections(std::string_view text, std::string_view file);

/// The text of a whole file: with what it is, and a checksum.
[[nodiscard]] std::string kept_paths_file(const std::vector<KeptPaths>& sections);
/// What a file says. Nothing is believed of one whose checksum is wrong.
[[nodiscard]] Expected<std::vector<KeptPaths>> read_kept_paths(std::string_view text, std::string_view file);

/// Adds sections: each replaces the one of its key. The oldest ones go if there are too many pairs, and so does one
/// that has too many by itself.
void add_kept_paths(std::vector<KeptPaths>& sections, std::vector<KeptPaths> since);

}  // namespace aapc
