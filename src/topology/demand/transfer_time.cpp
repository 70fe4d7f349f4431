#include <algorithm>
#include <limits>

#include "aapc/topology/link_loads.hpp"

namespace aapc {

std::int64_t transfer_nanoseconds(std::int64_t bytes, std::int64_t bits_per_second) {
    constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
    if (bytes > largest / 8) {
        return largest;
    }
    // Seconds, then three digits at a time, as one divides by hand: no product leaves the range below 2^63 up to
    // 9·10^15 bit/s.
    std::int64_t time = 8 * bytes / bits_per_second;
    std::int64_t rest = 8 * bytes % bits_per_second;
    if (time >= largest / 1'000'000'000) {
        return largest;
    }
    for (int digits = 0; digits < 3; ++digits) {
        time = 1000 * time + 1000 * rest / bits_per_second;
        rest = 1000 * rest % bits_per_second;
    }
    return time + (rest > 0 ? 1 : 0);
}

}  // namespace aapc
