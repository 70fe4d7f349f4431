/// @file
/// The results of a record in lines, for a terminal.
#pragma once

#include <string>

#include "aapc/archive/record.hpp"
#include "cli/report/figures.hpp"

namespace aapc::report {

/// What the page says in sentences, and its table of calls. Control characters are shown as \\xNN. Throws
/// std::bad_alloc alone.
[[nodiscard]] std::string text_of(const Record& record, const Figures& figures);

}  // namespace aapc::report
