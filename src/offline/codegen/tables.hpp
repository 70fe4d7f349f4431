/// @file
/// The tables of a generated routine, as C text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "aapc/check/schedule.hpp"
#include "offline/codegen/render.hpp"

namespace aapc::codegen {

/// A table of one row a rank, to be put between the braces of an initialiser; each row under a comment that names its
/// rank. `rows` are all of one length.
[[nodiscard]] std::string matrix_rows(const std::vector<std::vector<std::int64_t>>& rows);

/// Rows of any length, one a rank, one after the other.
struct RaggedTable {
    std::string entries;        ///< initialisers; at least one, since C has no empty arrays
    std::string first_of_rank;  ///< where each rank's row begins, and where the last one ends: participants+1 indices
    std::int64_t number = 0;    ///< of entries
    std::int64_t most = 0;      ///< in one row
    std::int64_t places = 0;    ///< length of the array `entries`
};
/// `rows` hold initialisers; `filler` is the initialiser of an array that would be empty.
[[nodiscard]] RaggedTable ragged_table(const std::vector<std::vector<std::string>>& rows, const std::string& filler);

/// Adds `table` under the names that the templates have for one: `plural` for its entries; "FIRST_WAIT", "WAIT_PLACES"
/// and "WAIT_INDEX_TYPE" if `singular` is "WAIT".
void add_table(Values& values, const RaggedTable& table, const std::string& plural, const std::string& singular);

/// The phases as lines of a comment: `phase 0: 0>4 3>5`; of a cycle the ticks that have messages,
/// of which the schedule counts `ticks_in_one` as one.
[[nodiscard]] std::string phase_lines(const Schedule& schedule, Phase ticks_in_one);

/// The wiring as lines of a comment, every link under its upper end.
[[nodiscard]] std::string network_lines(const Network& network);

/// The initialisers of the table of machine names, one rank a line.
[[nodiscard]] std::string machine_rows(const Schedule& schedule);

}  // namespace aapc::codegen
