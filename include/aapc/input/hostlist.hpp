/// @file
/// Hostlists as Slurm writes them: many machines in one short text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "aapc/input/diagnostic.hpp"

namespace aapc {

/// The most machines, and the most switches, that one file may have. No computer could hold a schedule for more, and a
/// typing error such as n[0-99999999] must not exhaust its memory.
inline constexpr std::int64_t max_machines = 65'536;

/// The most ranks on all machines of a file together, for the same reason.
inline constexpr std::int64_t max_ranks = 65'536;

/// A machine of a hostlist with the number of ranks it runs.
struct HostlistEntry {
    std::string name;
    std::int32_t ranks = 1;
    int column = 1;  ///< 1-based offset in the hostlist of the item that it comes from
};

/// Expands a Slurm hostlist: comma-separated names, each with any number of numeric brackets ("n[0-3,7]",
/// "r[1-2]n[01-16]", "n[1-4/2]" for every second one), zero padding kept, an optional ":K" after an item for K ranks on
/// each machine of that item. Names consist of letters, digits, '-', '_' and '.', start with a letter or digit and have
/// at most 255 characters. Ranges are padded to the width of their first number if that starts with 0; of several
/// brackets the last runs fastest. At most max_machines machines, at most max_ranks ranks each; lists that exceed them
/// are not expanded. On failure `Diagnostic::column` is the 1-based offset inside `text`, and file and line are empty.
[[nodiscard]] Expected<std::vector<HostlistEntry>> expand_hostlist(std::string_view text);

}  // namespace aapc
