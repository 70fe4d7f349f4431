/// @file
/// The texts of `aapc tune`: the state file, the bar and the table. Knows no MPI.
#pragma once

#include <string>
#include <string_view>

#include "aapc/archive/tuning.hpp"
#include "aapc/input/diagnostic.hpp"
#include "aapc/offline/search.hpp"

namespace aapc::bench {

/// A state file: what the search was played on, then the search.
[[nodiscard]] std::string state_file_text(const Fingerprint& fingerprint, const Search& search);

/// Reads it back, for a search with the same foreknowledge. The diagnostic says what differs from `here`, from
/// `settings` or from `candidates`, or that the file is damaged.
[[nodiscard]] Expected<Search> resume_from(std::string_view text, const Fingerprint& here,
                                           const SearchSettings& settings, const std::vector<Method>& candidates,
                                           NetworkKind kind, const Foreknowledge& known = {});

/// "[#####.....]  52 %, 16384 bytes, 23 methods, 5:40 left": for people who wait.
[[nodiscard]] std::string progress_line(const Search::Progress& progress);

/// What was found, size by size.
[[nodiscard]] std::string results_table(const Search::Result& result);

/// A line for each measured size that took less than the wires in the topology file `file` allow; empty if none did.
/// `seconds_per_byte` is that of the bound (0: not known).
[[nodiscard]] std::string remarks_on_speeds(const Search::Result& result, double seconds_per_byte,
                                            std::string_view file);

}  // namespace aapc::bench
