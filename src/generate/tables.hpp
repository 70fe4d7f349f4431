/// @file
/// The tables of a generated routine, as C text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "aapc/plan.hpp"
#include "aapc/schedule.hpp"

namespace aapc::generate {

/// A table of one row a rank, to be put between the braces of an initialiser; each row under a comment that names its
/// rank. `rows` are all of one length.
[[nodiscard]] std::string matrix_rows(const std::vector<std::vector<std::int64_t>>& rows);

/// The tokens of all ranks one after the other as `{step, peer}`, and where each rank's begin.
struct TokenTable {
    std::string entries;        ///< initialisers; at least one, since C has no empty arrays
    std::string first_of_rank;  ///< participants+1 indices
    std::int64_t number = 0;    ///< of tokens, those to oneself included
    std::int64_t most = 0;      ///< that one rank has
    std::int64_t places = 0;    ///< length of the array `entries`
};
[[nodiscard]] TokenTable token_table(const std::vector<Plan>& plans, std::vector<Token> Plan::*tokens);

/// The phases as lines of a comment: `phase 0: 0>4 3>5`.
[[nodiscard]] std::string phase_lines(const Schedule& schedule);

/// The wiring as lines of a comment, every link under its upper end.
[[nodiscard]] std::string network_lines(const Network& network);

/// The initialisers of the table of machine names, one rank a line.
[[nodiscard]] std::string machine_rows(const Schedule& schedule);

}  // namespace aapc::generate
