/// @file
/// Sizes of branches, exhaustively in the small.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

namespace aapc::test {

/// Calls `visit` with every descending list of sizes with this sum whose first is at most half of it.
inline void for_each_partition(std::int32_t sum, const std::function<void(const std::vector<std::int32_t>&)>& visit) {
    std::vector<std::int32_t> sizes;
    const std::function<void(std::int32_t, std::int32_t)> extend = [&](std::int32_t left, std::int32_t largest) {
        if (left == 0) {
            visit(sizes);
            return;
        }
        for (std::int32_t size = std::min(left, largest); size >= 1; --size) {
            sizes.push_back(size);
            extend(left - size, size);
            sizes.pop_back();
        }
    };
    extend(sum, sum / 2);
}

}  // namespace aapc::test
