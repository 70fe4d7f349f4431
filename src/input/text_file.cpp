#include "input/text_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace aapc {

namespace {

tl::unexpected<Diagnostic> unreadable(const std::string& name, std::string problem, const FileKind& kind) {
    return failure({.file = name,
                    .problem = std::move(problem),
                    .advice = fmt::format("give the name of {} that can be read", kind.name)});
}

tl::unexpected<Diagnostic> zero_byte(const std::string& name, std::string_view text, const FileKind& kind) {
    const std::size_t at = text.find('\0');
    const std::string_view before = text.substr(0, at);
    const std::size_t line_break = before.rfind('\n');
    const std::size_t line_start = line_break == std::string_view::npos ? 0 : line_break + 1;
    return failure({.file = name,
                    .line = static_cast<int>(std::count(before.begin(), before.end(), '\n')) + 1,
                    .column = static_cast<int>(at - line_start) + 1,
                    .problem = "a zero byte",
                    .advice = fmt::format("give {}, which is text", kind.name)});
}

}  // namespace

Expected<std::string> read_text(std::istream& stream, const std::string& name, const FileKind& kind) {
    const std::size_t most_bytes = kind.most_mebibytes << 20U;
    std::string text;
    std::array<char, 65'536> piece;
    while (stream.read(piece.data(), piece.size()).gcount() > 0) {
        const std::string_view read(piece.data(), static_cast<std::size_t>(stream.gcount()));
        text += read;
        if (read.find('\0') != std::string_view::npos) {
            return zero_byte(name, text, kind);
        }
        if (text.size() > most_bytes) {
            return failure({.file = name,
                            .problem = fmt::format("it is larger than {} MiB", kind.most_mebibytes),
                            .advice = fmt::format("give {}", kind.name)});
        }
    }
    if (stream.bad()) {
        return unreadable(name, "cannot be read", kind);
    }
    return text;
}

Expected<std::string> read_text_file(const std::string& path, const FileKind& kind) {
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) {
        return failure(
            {.file = path, .problem = "it is a directory", .advice = fmt::format("give the name of {}", kind.name)});
    }
    std::ifstream stream(path, std::ios::binary);
    if (!stream) {
        return unreadable(path, fmt::format("cannot be opened: {}", std::strerror(errno)), kind);
    }
    return read_text(stream, path, kind);
}

Expected<void> write_text_file(const std::string& path, std::string_view text) {
    const auto cannot = [&](int error, std::string_view advice) {
        return failure({.file = path,
                        .problem = fmt::format("cannot be written: {}", std::strerror(error)),
                        .advice = std::string(advice)});
    };
    const std::string temporary = fmt::format("{}.{}.tmp", path, ::getpid());
    std::FILE* const file = std::fopen(temporary.c_str(), "wb");
    if (file == nullptr) {
        return cannot(errno, "give a file in a directory that exists and can be written");
    }
    bool good = std::fwrite(text.data(), 1, text.size(), file) == text.size();
    good = std::fclose(file) == 0 && good;
    if (!good || std::rename(temporary.c_str(), path.c_str()) != 0) {
        const int error = errno;
        std::remove(temporary.c_str());
        return cannot(error, "make room or give another file");
    }
    return {};
}

}  // namespace aapc
