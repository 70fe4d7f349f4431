/// @file
/// Demands as people write them down: docs/unequal.md has the formats.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "aapc/input/diagnostic.hpp"
#include "aapc/topology/demand.hpp"

namespace aapc {

/// How a file says it.
enum class DemandFormat : std::uint8_t {
    bytes,      ///< read_demand()
    fractions,  ///< read_demand_fractions()
    ucc,        ///< read_ucc_demands()
};

/// The format of a text: `ucc` if its first line that is no comment begins with a bracket, `fractions` if a number has
/// a point, otherwise `bytes`. O(text).
[[nodiscard]] DemandFormat demand_format(std::string_view text);

/// Reads a demand among `participants` ranks: a line for each sender with a number of bytes for each receiver,
/// separated by commas; sizes may have a unit ("64Ki"). Empty lines and those that begin with # do not count. `file` is
/// only used in diagnostics, which have line and column of the first mistake. O(text).
[[nodiscard]] Expected<Demand> read_demand(std::string_view text, std::string_view file, Rank participants);

/// Reads a matrix of fractions between 0 and 1 of `whole` bytes, as nccl-tests' benchmark of unequal all-to-alls has
/// them. A fraction of a byte is cut off. Otherwise as read_demand().
[[nodiscard]] Expected<Demand> read_demand_fractions(std::string_view text, std::string_view file, Rank participants,
                                                     std::int64_t whole);

/// Reads the pattern file of UCC's perftest (`.ptini`): a demand for each section `[collective]`, in order; at least
/// one. Counts are those of the section's `datatype` (INT32 if it has none). Sections and keys with another name do not
/// count. Diagnostics as of read_demand().
[[nodiscard]] Expected<std::vector<Demand>> read_ucc_demands(std::string_view text, std::string_view file,
                                                             Rank participants);

/// The same as text that read_demand() reads: plain bytes, a line for each sender.
[[nodiscard]] std::string demand_csv(const Demand& demand);

/// The same as a section [collective] that read_ucc_demands() reads. Counts are bytes; if a message has more than UCC's
/// counts can say, they are of the smallest datatype that does, rounded up.
[[nodiscard]] std::string ucc_section(const Demand& demand);

}  // namespace aapc
