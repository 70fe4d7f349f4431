/// @file
/// The one place that reads files which a user names. Whatever is named, reading it ends: there is a limit, and no pipe
/// or device is waited for. file_writer.hpp is its counterpart.
#pragma once

#include <cstddef>
#include <cstdint>
#include <istream>
#include <string>
#include <string_view>

#include "aapc/input/diagnostic.hpp"

namespace aapc {

/// Text has no zero byte.
enum class Content : std::uint8_t { text, bytes };

/// What a file should be, and how large it may be.
struct FileKind {
    std::string_view name;  ///< as in "give the name of a topology file"
    std::size_t most_mebibytes = 16;
    Content content = Content::text;
};

/// Whether a pipe that a program has open for writing is read like a file, until that program closes it.
enum class Pipes : std::uint8_t {
    refused,  ///< in an MPI job, which must not wait for another program
    read,     ///< for commands, as in `aapc topology <(...)`
};

inline constexpr FileKind topology_file{"a topology file"};
/// One for 4,096 ranks has 370 MB, with its synchronisation 1.3 GB.
inline constexpr FileKind schedule_document{"a schedule document", 2048};

/// The rest of the stream, or why not: it cannot be read, it is too large, or it has a zero byte and is no text.
/// `name` is what diagnostics call it. Reads no more than one piece of 64 KiB beyond what it takes to know.
[[nodiscard]] Expected<std::string> read_text(std::istream& stream, const std::string& name, const FileKind& kind);

/// The whole of a regular file or of a device, or why not: it is a directory, a pipe that is not to be read or has no
/// writer, a device with nothing to read, too large, no text, or the system refuses. Waits for a pipe's writer only.
[[nodiscard]] Expected<std::string> read_text_file(const std::string& path, const FileKind& kind,
                                                   Pipes pipes = Pipes::refused);

}  // namespace aapc
