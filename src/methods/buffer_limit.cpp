#include "aapc/methods/buffer_limit.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "aapc/plan/plan.hpp"
#include "aapc/plan/staging.hpp"
#include "timetable/buffer_bound.hpp"

namespace aapc {

namespace {

/// A rank and what it needs at most.
using Candidate = std::pair<std::int64_t, Rank>;

/// Who may need most first.
std::vector<Candidate> candidates_of(const Timetable& timetable, const Synchronisation& synchronisation) {
    const auto* const bound = dynamic_cast<const BufferBound*>(&timetable);
    const bool windows = synchronisation.kind == Synchronisation::Kind::window;
    const Phase window =
        std::clamp<Phase>(windows ? synchronisation.block_phases : 1, 1, std::max<Phase>(timetable.phases(), 1));
    std::vector<Candidate> candidates;
    candidates.reserve(static_cast<std::size_t>(timetable.participants()));
    for (Rank rank = 0; rank < timetable.participants(); ++rank) {
        candidates.emplace_back(
            bound != nullptr ? bound->most_buffer_blocks(rank, window) : std::numeric_limits<std::int64_t>::max(),
            rank);
    }
    std::sort(candidates.begin(), candidates.end(), std::greater<>());
    return candidates;
}

}  // namespace

std::int64_t largest_buffer_blocks(const Timetable& timetable, const Synchronisation& synchronisation) {
    if (!timetable.forwards()) {
        return 0;
    }
    std::int64_t largest = 0;
    for (const auto& [most, rank] : candidates_of(timetable, synchronisation)) {
        if (most <= largest) {
            break;
        }
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
