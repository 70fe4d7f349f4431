/// @file
/// The page of a record: one file of HTML that needs nothing else.
#pragma once

#include <string>

#include "aapc/archive/record.hpp"
#include "cli/report/figures.hpp"

namespace aapc::report {

/// The page. It asks for nothing on any network, has no scripts, and shows what it was given as text, whatever is in
/// it. Throws std::bad_alloc alone.
[[nodiscard]] std::string page_of(const Record& record, const Figures& figures);

}  // namespace aapc::report
