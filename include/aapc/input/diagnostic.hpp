/// @file
/// How the core reports that something is wrong. The core never prints, never exits and never throws across its
/// public functions (out of memory excepted): whatever can fail returns `Expected<T>` or says so in its own type.
#pragma once

#include <string>
#include <tl/expected.hpp>

namespace aapc {

/// What is wrong with some input, where, and what would help. `line` and `column` count from 1; 0 means that the
/// complaint is about the input as a whole (a file that cannot be opened, an unknown option value). Every member has a
/// value of its own, so that the ones that matter can be named: `{.file = path, .problem = "cannot be read"}`.
struct Diagnostic {
    std::string file{};     ///< the name the user gave; may be empty
    int line = 0;           ///< 1-based, 0: none
    int column = 0;         ///< 1-based, in bytes, 0: none
    std::string problem{};  ///< "switch 's3' is its own uplink, through s4"
    std::string advice{};   ///< "remove one uplink so that the switches form a tree"; may be empty
};

/// `FILE:LINE:COLUMN: problem; advice`, on one line whatever the texts contain: control characters
/// are shown as \xNN, so hostile input cannot forge further lines.
[[nodiscard]] std::string to_string(const Diagnostic& diagnostic);

/// Either a value or the reason why there is none.
template <class T, class Error = Diagnostic>
using Expected = tl::expected<T, Error>;

/// `return failure({...})` inside a function that returns Expected<T>.
[[nodiscard]] inline tl::unexpected<Diagnostic> failure(Diagnostic diagnostic) {
    return tl::unexpected<Diagnostic>(std::move(diagnostic));
}

/// The same about no place in particular: `return failure("nobody takes part", "name at least one participant")`.
[[nodiscard]] inline tl::unexpected<Diagnostic> failure(std::string problem, std::string advice) {
    return failure({.problem = std::move(problem), .advice = std::move(advice)});
}

}  // namespace aapc
