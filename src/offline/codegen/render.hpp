/// @file
/// Makes a routine of templates: a C preprocessor that looks at nothing but what the templates ask of it.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "offline/codegen/templates.hpp"

namespace aapc::codegen {

/// What TEMPLATE_NAME stands for, by NAME: a number, a type, initialisers, lines of a comment. Conditions are "1" or
/// "0".
using Values = std::map<std::string, std::string, std::less<>>;

/// The text of the template `file` with all that it includes, where TEMPLATE_NAME is values.at("NAME"), in code and in
/// comments.
///
/// Of the preprocessor's directives, three are resolved: `#include "FILE"` of a template, which is set off by blank
/// lines; `#include "values.h"`, which vanishes; and `#if TEMPLATE_NAME` with its `#else` and `#endif`. All others
/// belong to the routine and stay. A value of several lines has what stands before it in its line before each of them:
/// an indentation, the margin of a comment. What is put in is not looked at again, so no value can act as a name or
/// directive. A name without a value and a file that is none of the templates are left as they stand, which the tests
/// look for. Two blank lines in a row become one.
[[nodiscard]] std::string render(const Templates& templates, std::string_view file, const Values& values);

}  // namespace aapc::codegen
