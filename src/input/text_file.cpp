#include "input/text_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>

#include "input/descriptor.hpp"

namespace aapc {

namespace {

Diagnostic unreadable(const std::string& name, std::string problem, const FileKind& kind) {
    return {.file = name,
            .problem = std::move(problem),
            .advice = fmt::format("give the name of {} that can be read", kind.name)};
}

Diagnostic zero_byte(const std::string& name, std::string_view text, const FileKind& kind) {
    const std::size_t at = text.find('\0');
    const std::string_view before = text.substr(0, at);
    const std::size_t line_break = before.rfind('\n');
    const std::size_t line_start = line_break == std::string_view::npos ? 0 : line_break + 1;
    return {.file = name,
            .line = static_cast<int>(std::count(before.begin(), before.end(), '\n')) + 1,
            .column = static_cast<int>(at - line_start) + 1,
            .problem = "a zero byte",
            .advice = fmt::format("give {}, which is text", kind.name)};
}

Diagnostic too_large(const std::string& name, const FileKind& kind) {
    return {.file = name,
            .problem = fmt::format("it is larger than {} MiB", kind.most_mebibytes),
            .advice = fmt::format("give {}", kind.name)};
}

std::size_t limit_of(const FileKind& kind) { return kind.most_mebibytes << 20U; }

/// Appends what was just read to `text`; returns what is wrong with it, if anything.
std::optional<Diagnostic> take(std::string_view read, std::string& text, const std::string& name,
                               const FileKind& kind) {
    text += read;
    if (kind.content == Content::text && read.find('\0') != std::string_view::npos) {
        return zero_byte(name, text, kind);
    }
    return text.size() > limit_of(kind) ? std::optional(too_large(name, kind)) : std::nullopt;
}

using Piece = std::array<char, 65'536>;

/// Waits as long as the program at the other end of the pipe has it open.
void let_block(const Descriptor& pipe) {
    const int flags = fcntl(pipe.number(), F_GETFL);
    fcntl(pipe.number(), F_SETFL, flags & ~O_NONBLOCK);
}

}  // namespace

Expected<std::string> read_text(std::istream& stream, const std::string& name, const FileKind& kind) {
    std::string text;
    Piece piece;
    while (stream.read(piece.data(), piece.size()).gcount() > 0) {
        const std::string_view read(piece.data(), static_cast<std::size_t>(stream.gcount()));
        if (auto wrong = take(read, text, name, kind)) {
            return failure(std::move(*wrong));
        }
    }
    if (stream.bad()) {
        return failure(unreadable(name, "cannot be read", kind));
    }
    return text;
}

Expected<std::string> read_text_file(const std::string& path, const FileKind& kind, Pipes pipes) {
    const auto refuse = [&](std::string problem) { return failure(unreadable(path, std::move(problem), kind)); };
    const auto refuse_kind = [&](std::string problem) {
        return failure(
            {.file = path, .problem = std::move(problem), .advice = fmt::format("give the name of {}", kind.name)});
    };
    // Without O_NONBLOCK a pipe into which no program writes would not even open.
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    struct stat status {};
    if (!file.is_open() || fstat(file.number(), &status) != 0) {
        return refuse(fmt::format("cannot be opened: {}", std::strerror(errno)));
    }
    const bool is_pipe = S_ISFIFO(status.st_mode);
    if (S_ISDIR(status.st_mode) || (is_pipe && pipes == Pipes::refused)) {
        return refuse_kind(fmt::format("it is {}", special_kind(status.st_mode)));
    }
    if (S_ISREG(status.st_mode) && static_cast<std::uintmax_t>(status.st_size) > limit_of(kind)) {
        return failure(too_large(path, kind));
    }
    std::string text;
    Piece piece;
    for (;;) {
        const ssize_t bytes = ::read(file.number(), piece.data(), piece.size());
        if (bytes == 0 && is_pipe && text.empty()) {
            return refuse_kind("no program writes into this pipe");
        }
        if (bytes == 0) {
            return text;
        }
        if (bytes < 0 && errno == EAGAIN && is_pipe) {
            let_block(file);
        } else if (bytes < 0 && errno == EAGAIN) {
            return refuse_kind("it is a device with nothing to read");
        } else if (bytes < 0 && errno != EINTR) {
            return refuse(fmt::format("cannot be read: {}", std::strerror(errno)));
        } else if (bytes > 0) {
            if (auto wrong = take({piece.data(), static_cast<std::size_t>(bytes)}, text, path, kind)) {
                return failure(std::move(*wrong));
            }
        }
    }
}

}  // namespace aapc
