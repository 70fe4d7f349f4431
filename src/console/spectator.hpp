/// @file
/// Whether anybody watches a program that a launcher started.
#pragma once

namespace aapc::cli {

/// Whether what this process writes to standard error is shown on a terminal. A rank writes into a pipe and its
/// launcher passes it on, so it is the launcher's standard error that counts, where the launcher is a process of this
/// host.
[[nodiscard]] bool somebody_watches();

}  // namespace aapc::cli
