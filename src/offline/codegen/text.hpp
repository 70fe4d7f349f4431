/// @file
/// Foreign text inside C: names and command lines that must not become code, whatever they contain.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace aapc::codegen {

/// `text` for a block comment, on one line: printable ASCII stays, all else and whatever could end a comment, start
/// one, continue a line or form a trigraph becomes a three-digit octal escape. Texts longer than `longest` bytes are
/// cut and end in "...".
[[nodiscard]] std::string in_comment(std::string_view text, std::size_t longest = 200);

/// `text` as a C string literal, quotes included. Cut at 1023 bytes, below what C11 promises to accept (4095) once each
/// is escaped; no MPI reports a processor name of that length, so a name that is cut still matches none that it did not
/// match before.
[[nodiscard]] std::string string_literal(std::string_view text);

/// The smallest unsigned type of <stdint.h> that holds `largest` (not negative).
[[nodiscard]] std::string_view smallest_unsigned_type(std::int64_t largest);

}  // namespace aapc::codegen
