/// @file
/// Fills in the pieces of C text of pieces.hpp.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

namespace aapc::generate {

using Values = std::map<std::string, std::string, std::less<>>;

/// What holds for the routine that is being written: "tokens", "barriers".
using Conditions = std::set<std::string, std::less<>>;

/// Copies `piece` line by line.
///
/// A line `@if WORD...` keeps the lines up to its `@end` only if one of the words is in
/// `conditions`; these do not nest.
/// Elsewhere `@name@` stands for values.at(name); what is put in is not looked at again, so no value can act as a
/// placeholder. A name without a value is left as it stands, which the tests look for.
[[nodiscard]] std::string render(std::string_view piece, const Values& values, const Conditions& conditions);

}  // namespace aapc::generate
