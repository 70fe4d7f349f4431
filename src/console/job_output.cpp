#include "console/job_output.hpp"

#include <fmt/core.h>

#include <cstdio>
#include <utility>

#include "console/output.hpp"
#include "console/spectator.hpp"
#include "input/on_one_line.hpp"

namespace aapc::cli {

namespace {

constexpr const char* to_start_of_empty_line = "\r\x1b[K";

}  // namespace

JobOutput::JobOutput(std::string program, bool speaks)
    : program_(std::move(program)), speaks_(speaks), watched_(speaks && somebody_watches()) {}

void JobOutput::remark(const std::string& text) const {
    if (speaks_) {
        fmt::print(stderr, "{}aapc: {}\n", watched_ ? to_start_of_empty_line : "", on_one_line(text));
    }
}

void JobOutput::show_progress(const std::string& text) const {
    if (watched_) {
        fmt::print(stderr, "{}{}", to_start_of_empty_line, text);
        std::fflush(stderr);
    }
}

void JobOutput::clear_progress() const { show_progress(""); }

int JobOutput::refuse(Diagnostic diagnostic) const {
    clear_progress();
    if (speaks_) {
        if (diagnostic.file.empty()) {
            diagnostic.file = program_;
        }
        complain(diagnostic);
    }
    return bad_input;
}

}  // namespace aapc::cli
