#include "aapc/methods/buffer_limit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "aapc/plan/plan.hpp"
#include "aapc/plan/staging.hpp"

namespace aapc {

std::int64_t largest_buffer_blocks(const Timetable& timetable) {
    std::int64_t largest = 0;
    for (Rank rank = 0; timetable.forwards() && rank < timetable.participants(); ++rank) {
        largest = std::max(largest, buffer_blocks(make_plan(timetable, rank, Synchronisation::none)));
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

Expected<FittedMethod> fit_buffers(const Network& network, const Placement& placement, const Method& wanted,
                                   std::int64_t most_blocks) {
    FittedMethod fitted;
    std::optional<Method> next = wanted;
    while (next) {
        const auto timetable = build_timetable(*next->algorithm, next->variant, network, placement);
        if (!timetable) {
            return failure(timetable.error());
        }
        fitted.chosen = {*next, largest_buffer_blocks(**timetable)};
        if (fitted.chosen.buffer_blocks <= most_blocks) {
            return fitted;
        }
        fitted.too_large.push_back(fitted.chosen);
        next = with_smaller_buffers(*next);
    }
    const BufferedMethod& smallest = fitted.too_large.back();
    return failure(fmt::format("{}/{} needs buffers of {} blocks, and the limit is {}", smallest.method.algorithm->name,
                               smallest.method.variant, smallest.buffer_blocks, most_blocks),
                   "allow more, or choose an algorithm that forwards nothing");
}

}  // namespace aapc
