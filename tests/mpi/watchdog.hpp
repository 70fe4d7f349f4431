/// @file
/// Ends a test program that hangs, and says what hung.
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <string_view>

namespace aapc::test {

/// Everything is static because a signal handler has nothing else.
class Watchdog {
  public:
    /// From now on the program is in `operation`, and ends with status 1 and its name if that takes three minutes.
    static void watch(std::string_view operation) {
        const auto end = fmt::format_to_n(text_, sizeof text_ - 1, "hangs: {}\n", operation).out;
        length_ = static_cast<std::size_t>(end - text_);
        std::signal(SIGALRM, end_program);
        alarm(180);
    }
    static void stop() { alarm(0); }

  private:
    static void end_program(int /*signal*/) {
        // What a handler may call; the result does not matter any more.
        [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text_, length_);
        _exit(1);
    }

    static inline char text_[512];
    static inline std::size_t length_ = 0;
};

}  // namespace aapc::test
