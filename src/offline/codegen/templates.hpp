/// @file
/// The C of which routines are made: the files of templates/, which CMake puts into the library.
#pragma once

#include <map>
#include <string_view>

namespace aapc::codegen {

/// The text of a file by its name, "timed.c".
using Templates = std::map<std::string_view, std::string_view>;

/// All files of templates/ but values.h, in whose place render() has the values of a schedule. Those whose names end in
/// ".c" are whole routines: one for each way of running a schedule, and one for a single participant.
[[nodiscard]] const Templates& templates();

}  // namespace aapc::codegen
