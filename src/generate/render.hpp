/// @file
/// Fills in the pieces of C text of pieces.hpp.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace aapc::generate {

using Values = std::map<std::string, std::string, std::less<>>;

/// Copies `piece` line by line.
///
/// A line `@if WORD...` keeps the lines up to its `@end` only if `condition` is one of the words; these do not nest.
/// Elsewhere `@name@` stands for values.at(name); what is put in is not looked at again, so no value can act as a
/// placeholder. A name without a value is left as it stands, which the tests look for.
[[nodiscard]] std::string render(std::string_view piece, const Values& values, std::string_view condition);

}  // namespace aapc::generate
