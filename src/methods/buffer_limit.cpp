#include "aapc/methods/buffer_limit.hpp"

#include <algorithm>
#include <utility>

#include "aapc/plan/plan.hpp"
#include "aapc/plan/staging.hpp"

namespace aapc {

std::int64_t largest_buffer_blocks(const Timetable& timetable, const Synchronisation& synchronisation) {
    std::int64_t largest = 0;
    for (Rank rank = 0; timetable.forwards() && rank < timetable.participants(); ++rank) {
        largest = std::max(largest, buffer_blocks(make_plan(timetable, rank, synchronisation)));
    }
    return largest;
}

std::optional<Method> with_smaller_buffers(const Method& method) {
    if (method.native() || method.algorithm->smaller_variant == nullptr) {
        return std::nullopt;
    }
    auto variant = method.algorithm->smaller_variant(method.variant);
    return variant ? std::optional(Method{method.algorithm, std::move(*variant), method.synchronisation})
                   : std::nullopt;
}

}  // namespace aapc
