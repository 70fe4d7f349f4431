/// @file
/// All environment variables that users set: one table for what reads them, and for what explains them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace aapc::selection {

struct Variable {
    std::string_view name;
    std::string_view option;         ///< of aapc exec, which sets it; empty if there is none
    std::string_view meaning;        ///< one clause
    std::string_view default_value;  ///< what holds where it is not set, in words
};

/// In the order of docs/interposer.md.
[[nodiscard]] std::span<const Variable> variables();

/// The names of this process's variables that begin with AAPC_, sorted.
[[nodiscard]] std::vector<std::string> aapc_variables_of_process();

/// One remark on the names that are not in the table, with the nearest one of it for each; nullopt if all are. Those of
/// this project's own tests and tools are left out.
[[nodiscard]] std::optional<std::string> remark_on_unknown_variables(const std::vector<std::string>& names);

}  // namespace aapc::selection
