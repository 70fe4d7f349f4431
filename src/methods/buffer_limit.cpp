#include "aapc/methods/buffer_limit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "aapc/plan/plan.hpp"
#include "aapc/plan/staging.hpp"
#include "algorithms/torus/divided.hpp"

namespace aapc {

std::int64_t largest_buffer_blocks(const Timetable& timetable) {
    std::int64_t largest = 0;
    for (Rank rank = 0; timetable.forwards() && rank < timetable.participants(); ++rank) {
        largest = std::max(largest, buffer_blocks(make_plan(timetable, rank, Synchronisation::none)));
    }
    return largest;
}

std::optional<Method> with_smaller_buffers(const Method& method) {
    if (method.native() || method.algorithm->numbered_variants != torus::divisions_prefix) {
        return std::nullopt;
    }
    const std::string_view digits = std::string_view(method.variant).substr(torus::divisions_prefix.size());
    std::int32_t divisions = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), divisions);
    if (divisions == 0) {
        return std::nullopt;
    }
    Method smaller = method;
    smaller.variant = fmt::format("{}{}", torus::divisions_prefix, divisions - 1);
    return smaller;
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
