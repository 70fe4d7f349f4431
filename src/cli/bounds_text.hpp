/// @file
/// The bounds of a network with several paths, by name, as all commands print them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "aapc/topology/bound.hpp"
#include "aapc/topology/fabric.hpp"

namespace aapc::cli {

/// What to know of that bound, as the end of a line: ", even: as if cables shared perfectly".
[[nodiscard]] std::string_view about_bound(BoundKind kind);

/// What a hash leaves of the bound `even` (seconds for messages of one byte), for messages of `bytes`: a line for the
/// formula and one for the draws.
[[nodiscard]] std::string expected_text(const HashedBounds& bounds, double even, double bytes = 1e6);

/// Adds "kind" where there are several, "expected_by_formula" and "expected_by_draws", for messages of one byte.
void add_bounds(BoundKind kind, const std::optional<HashedBounds>& bounds, nlohmann::ordered_json& document);

}  // namespace aapc::cli
