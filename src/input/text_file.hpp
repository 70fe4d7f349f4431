/// @file
/// Text files, read with a limit: whatever is named as a file, reading it ends. Written all or nothing.
#pragma once

#include <cstddef>
#include <istream>
#include <string>
#include <string_view>

#include "aapc/input/diagnostic.hpp"

namespace aapc {

/// What a file should be, and how large it may be.
struct FileKind {
    std::string_view name;  ///< as in "give the name of a topology file"
    std::size_t most_mebibytes = 16;
};

inline constexpr FileKind topology_file{"a topology file"};
/// One for 4,096 ranks has 370 MB, with its synchronisation 1.3 GB.
inline constexpr FileKind schedule_document{"a schedule document", 2048};

/// The rest of the stream, or why not: it cannot be read, it is too large, or it has a zero byte and is no text.
/// `name` is what diagnostics call it. Reads no more than one piece of 64 KiB beyond what it takes to know.
[[nodiscard]] Expected<std::string> read_text(std::istream& stream, const std::string& name, const FileKind& kind);

/// The whole of a file, or why not. A directory or a file that cannot be opened is a diagnostic, too.
[[nodiscard]] Expected<std::string> read_text_file(const std::string& path, const FileKind& kind);

/// Writes the whole file or nothing: a temporary file beside it takes its name. The diagnostic names the file.
[[nodiscard]] Expected<void> write_text_file(const std::string& path, std::string_view text);

}  // namespace aapc
