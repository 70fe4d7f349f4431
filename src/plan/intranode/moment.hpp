/// @file
/// A number that differs at each time, for names and probes that no other process may have by chance.
#pragma once

#include <time.h>

#include <cstdint>

namespace aapc::machine {

/// Nanoseconds of the clock on the wall.
[[nodiscard]] inline std::int64_t this_moment() {
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

}  // namespace aapc::machine
