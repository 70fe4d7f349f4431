/// @file
/// What programs say and read: complaints, files, exit codes. Only programs speak; the core does not.
#pragma once

#include <string>

#include "aapc/input/diagnostic.hpp"
#include "input/text_file.hpp"

namespace aapc::cli {

/// Exit codes (docs/commands.md).
inline constexpr int done = 0;
inline constexpr int check_failed = 1;
inline constexpr int bad_input = 2;

/// Prints `FILE:LINE:COLUMN: …` to standard error and returns bad_input. A terminal shows the line of the file as well,
/// with a mark below the column. O(size of the file) there.
int complain(const Diagnostic& diagnostic);

/// Prints "wrote FILE" to standard error if that is a terminal and the path is that of a file, not "" or "-".
void say_what_was_written(const std::string& path);

/// Writes `text` to `path` all or nothing (a temporary file beside it, then rename), or to standard output where `path`
/// is empty or "-". Returns done, after say_what_was_written(), or bad_input with a complaint.
int write_output(const std::string& path, const std::string& text);

/// The whole of a file, or of standard input where `path` is "-", which there is once for a run; or why not.
Expected<std::string> read_file(const std::string& path, const FileKind& kind);

/// What a file is called in complaints: "standard input" for "-".
std::string shown_name(const std::string& path);

}  // namespace aapc::cli
