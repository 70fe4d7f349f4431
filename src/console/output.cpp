#include "console/output.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>

namespace aapc::cli {

namespace {

int complain_about_file(const std::string& path, const std::string& problem, const std::string& advice) {
    return complain({.file = path, .problem = problem, .advice = advice});
}

}  // namespace

int complain(const Diagnostic& diagnostic) {
    fmt::print(stderr, "{}\n", to_string(diagnostic));
    return bad_input;
}

std::string shown_name(const std::string& path) { return path == "-" ? "standard input" : path; }

Expected<std::string> read_file(const std::string& path, const FileKind& kind) {
    return path == "-" ? read_text(std::cin, shown_name(path), kind) : read_text_file(path, kind);
}

int write_output(const std::string& path, const std::string& text) {
    if (path.empty() || path == "-") {
        if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
            return complain_about_file("standard output", fmt::format("cannot be written: {}", std::strerror(errno)),
                                       "make room or give a file with -o");
        }
        return done;
    }
    const std::string temporary = fmt::format("{}.{}.tmp", path, ::getpid());
    std::FILE* file = std::fopen(temporary.c_str(), "wb");
    if (file == nullptr) {
        return complain_about_file(path, fmt::format("cannot be written: {}", std::strerror(errno)),
                                   "give a file in a directory that exists and can be written");
    }
    bool good = std::fwrite(text.data(), 1, text.size(), file) == text.size();
    good = std::fclose(file) == 0 && good;
    if (!good || std::rename(temporary.c_str(), path.c_str()) != 0) {
        const int error = errno;
        std::remove(temporary.c_str());
        return complain_about_file(path, fmt::format("cannot be written: {}", std::strerror(error)),
                                   "make room or give another file");
    }
    return done;
}

}  // namespace aapc::cli
