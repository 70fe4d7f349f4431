#include "console/output.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "console/output_file.hpp"
#include "input/on_one_line.hpp"

namespace aapc::cli {

namespace {

bool is_file(const std::string& path) { return !path.empty() && path != "-"; }

bool at_a_terminal() { return isatty(STDERR_FILENO) == 1; }

/// Line `number` of a regular file, counted from 1, up to `most` bytes of it; empty if there is none. It may have
/// changed since it was read.
std::string line_of(const std::string& path, int number, std::size_t most) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error)) {
        return {};
    }
    std::ifstream file(path);
    std::string line;
    for (int at = 1; std::getline(file, line); ++at) {
        if (at == number) {
            return line.substr(0, most);
        }
    }
    return {};
}

/// How many columns a terminal takes for text of UTF-8 without control characters: each character one.
std::size_t columns_of(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(
        text.begin(), text.end(), [](char byte) { return (static_cast<unsigned char>(byte) & 0xc0U) != 0x80; }));
}

/// The line of the file and a mark below the character, as compilers show it; empty if there is nothing to show.
std::string excerpt(const Diagnostic& diagnostic) {
    constexpr std::size_t most = 160;
    if (diagnostic.line <= 0 || diagnostic.column <= 0) {
        return {};
    }
    const std::string line = line_of(diagnostic.file, diagnostic.line, most);
    const auto before = static_cast<std::size_t>(diagnostic.column - 1);
    if (line.empty() || before > line.size()) {
        return {};
    }
    const std::string number = fmt::format("{}", diagnostic.line);
    const std::size_t indent = columns_of(on_one_line(line.substr(0, before)));
    return fmt::format("  {} | {}\n  {:{}} | {:{}}^\n", number, on_one_line(line), "", number.size(), "", indent);
}

}  // namespace

int complain(const Diagnostic& diagnostic) {
    fmt::print(stderr, "{}\n{}", to_string(diagnostic), at_a_terminal() ? excerpt(diagnostic) : std::string());
    return bad_input;
}

void say_what_was_written(const std::string& path) {
    if (is_file(path) && at_a_terminal()) {
        fmt::print(stderr, "wrote {}\n", on_one_line(path));
    }
}

std::string shown_name(const std::string& path) { return path == "-" ? "standard input" : path; }

Expected<std::string> read_file(const std::string& path, const FileKind& kind) {
    static bool taken = false;
    if (path != "-") {
        return read_text_file(path, kind, Pipes::read);
    }
    if (std::exchange(taken, true)) {
        return failure({.file = shown_name(path),
                        .problem = "two files are to be read from it",
                        .advice = "give one of them by its name"});
    }
    return read_text(std::cin, shown_name(path), kind);
}

OutputFile::OutputFile(const std::string& path) {
    if (is_file(path)) {
        file_.emplace(path);
    }
}

bool OutputFile::write(std::string_view piece) {
    if (file_) {
        return file_->write(piece);
    }
    if (error_ == 0 && std::fwrite(piece.data(), 1, piece.size(), stdout) != piece.size()) {
        error_ = errno;
    }
    return error_ == 0;
}

int OutputFile::finish() {
    if (file_) {
        const auto written = file_->finish();
        return written ? done : complain(written.error());
    }
    if (std::fflush(stdout) != 0 && error_ == 0) {
        error_ = errno;
    }
    return error_ == 0 ? done
                       : complain({.file = "standard output",
                                   .problem = fmt::format("cannot be written: {}", std::strerror(error_)),
                                   .advice = "make room or give a file with -o"});
}

int write_output(const std::string& path, const std::string& text) {
    OutputFile file(path);
    file.write(text);
    const int status = file.finish();
    if (status == done) {
        say_what_was_written(path);
    }
    return status;
}

}  // namespace aapc::cli
