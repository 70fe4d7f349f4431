#include "console/output.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <system_error>
#include <utility>

#include "console/output_file.hpp"

namespace aapc::cli {

int complain(const Diagnostic& diagnostic) {
    fmt::print(stderr, "{}\n", to_string(diagnostic));
    return bad_input;
}

std::string shown_name(const std::string& path) { return path == "-" ? "standard input" : path; }

Expected<std::string> read_file(const std::string& path, const FileKind& kind) {
    static bool taken = false;
    if (path != "-") {
        return read_text_file(path, kind);
    }
    if (std::exchange(taken, true)) {
        return failure({.file = shown_name(path),
                        .problem = "two files are to be read from it",
                        .advice = "give one of them by its name"});
    }
    return read_text(std::cin, shown_name(path), kind);
}

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {
    if (path_.empty() || path_ == "-") {
        file_ = stdout;
        return;
    }
    std::error_code unknown;
    const auto status = std::filesystem::status(path_, unknown);
    if (!std::filesystem::exists(status) || std::filesystem::is_regular_file(status)) {
        temporary_ = fmt::format("{}.{}.tmp", path_, ::getpid());
    }
    file_ = std::fopen((temporary_.empty() ? path_ : temporary_).c_str(), "wb");
    error_ = file_ == nullptr ? errno : 0;
}

OutputFile::~OutputFile() {
    if (file_ != nullptr && file_ != stdout) {
        std::fclose(file_);
        std::remove(temporary_.c_str());
    }
}

bool OutputFile::write(std::string_view piece) {
    if (error_ == 0 && std::fwrite(piece.data(), 1, piece.size(), file_) != piece.size()) {
        error_ = errno;
    }
    return error_ == 0;
}

int OutputFile::finish() {
    const bool opened = file_ != nullptr;
    const bool to_standard_output = file_ == stdout;
    if (opened && (to_standard_output ? std::fflush(file_) : std::fclose(file_)) != 0 && error_ == 0) {
        error_ = errno;
    }
    file_ = nullptr;
    if (error_ == 0 && !temporary_.empty() && std::rename(temporary_.c_str(), path_.c_str()) != 0) {
        error_ = errno;
    }
    if (error_ == 0) {
        return done;
    }
    if (opened && !temporary_.empty()) {
        std::remove(temporary_.c_str());
    }
    return complain({.file = to_standard_output ? "standard output" : path_,
                     .problem = fmt::format("cannot be written: {}", std::strerror(error_)),
                     .advice = to_standard_output ? "make room or give a file with -o"
                               : opened           ? "make room or give another file"
                                                  : "give a file in a directory that exists and can be written"});
}

int write_output(const std::string& path, const std::string& text) {
    OutputFile file(path);
    file.write(text);
    return file.finish();
}

}  // namespace aapc::cli
