#include "console/output.hpp"

#include <fmt/core.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>
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
    if (!path.empty() && path != "-") {
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
    return file.finish();
}

}  // namespace aapc::cli
