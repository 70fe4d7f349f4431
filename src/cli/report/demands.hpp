/// @file
/// The unequal messages of a record as demands in a file.
#pragma once

#include <string>
#include <string_view>

#include "aapc/archive/record.hpp"
#include "aapc/input/diagnostic.hpp"

namespace aapc::report {

/// A pattern file of UCC's, which --demand reads: a section for each kind of calls of unequal messages, those that took
/// most time first, at most 24. A section has one call, the mean over the calls of the kind on the first of their
/// communicators; communicators that exchange together with it are in the section. Ranks are those of MPI_COMM_WORLD. A
/// diagnostic if the record has no lengths, or more than 2,048 ranks. O(sections · ranks²).
[[nodiscard]] Expected<std::string> demands_of(const Record& record, std::string_view file);

}  // namespace aapc::report
