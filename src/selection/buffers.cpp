#include "selection/buffers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "aapc/algorithms/algorithm.hpp"

namespace aapc::selection {

namespace {

using Needs = std::vector<BufferedMethod>;

/// What `method` needs; null if it forwards nothing or cannot be had.
const BufferedMethod* find(const Needs& needs, const Method& method) {
    const auto found =
        std::find_if(needs.begin(), needs.end(), [&](const BufferedMethod& need) { return need.method == method; });
    return found == needs.end() ? nullptr : &*found;
}

/// Adds the method if it is not there and forwards; says whether it is there now.
bool add(Needs& needs, Timetables& timetables, const Method& method, const BlocksOf& blocks_of) {
    if (method.native()) {
        return false;
    }
    if (find(needs, method) != nullptr) {
        return true;
    }
    const auto timetable = timetables.find(*method.algorithm, method.variant);
    if (!timetable || !(*timetable)->forwards()) {
        return false;
    }
    needs.push_back({method, blocks_of(**timetable, method.synchronisation)});
    return true;
}

/// Where the range ends: the first size that belongs to the next one.
std::int64_t end_of(const std::vector<Decision::Range>& ranges, std::size_t index) {
    return index + 1 < ranges.size() ? ranges[index + 1].from_bytes : std::numeric_limits<std::int64_t>::max();
}

/// Ranges that are put one behind the other.
class Ranges {
  public:
    void append(Decision::Range range) {
        if (ranges_.empty() || ranges_.back().method != range.method) {
            ranges_.push_back(std::move(range));
        }
    }
    [[nodiscard]] std::vector<Decision::Range> take() { return std::move(ranges_); }

  private:
    std::vector<Decision::Range> ranges_;
};

class Limiter {
  public:
    Limiter(const Needs& needs, std::int64_t limit) : needs_(needs), limit_(limit) {}

    /// Appends what the range's method comes to for sizes from its beginning on and below `end`. Returns the first size
    /// for which nothing of it keeps within the limit, or `end`.
    std::int64_t append(const Decision::Range& range, std::int64_t end) {
        if (find(needs_, range.method) == nullptr) {
            ranges_.append(range);
            return end;
        }
        std::int64_t from = range.from_bytes;
        for (std::optional next = range.method; next && from < end; next = with_smaller_buffers(*next)) {
            const BufferedMethod* const need = find(needs_, *next);
            const std::int64_t fits_below = need == nullptr ? from : std::min(end, first_too_large(*need));
            if (from < fits_below) {
                const bool reduced = next != range.method;
                ranges_.append({from, *next, reduced ? "" : range.lead, need->buffer_blocks});
                from = fits_below;
            }
        }
        return from;
    }

    [[nodiscard]] std::vector<Decision::Range> take() { return ranges_.take(); }

  private:
    /// The smallest block for which the buffers are above the limit.
    [[nodiscard]] std::int64_t first_too_large(const BufferedMethod& need) const {
        return need.buffer_blocks == 0 ? std::numeric_limits<std::int64_t>::max() : limit_ / need.buffer_blocks + 1;
    }

    const Needs& needs_;
    std::int64_t limit_;
    Ranges ranges_;
};

/// The methods of `otherwise` for sizes from `from` on and below `end`, within the limit; else native.
void append_otherwise(Limiter& limiter, const std::vector<Decision::Range>& otherwise, std::int64_t from,
                      std::int64_t end) {
    for (std::size_t index = 0; index < otherwise.size(); ++index) {
        Decision::Range range = otherwise[index];
        range.from_bytes = std::max(range.from_bytes, from);
        const std::int64_t until = std::min(end_of(otherwise, index), end);
        if (range.from_bytes < until) {
            const std::int64_t covered = limiter.append(range, until);
            if (covered < until) {
                limiter.append({covered, Method{}, ""}, until);
            }
        }
    }
}

}  // namespace

std::vector<BufferedMethod> forwarding_methods(Timetables& timetables, const Decision& decision,
                                               const BlocksOf& blocks_of) {
    Needs needs;
    for (const Decision::Range& range : decision.ranges()) {
        add(needs, timetables, range.method, blocks_of);
    }
    return needs;
}

std::vector<BufferedMethod> forwarding_methods(Timetables& timetables, const LimitedDecision& decision,
                                               const BlocksOf& blocks_of) {
    Needs needs;
    for (const Decision* const one : {&decision.wanted, &decision.otherwise}) {
        for (const Decision::Range& range : one->ranges()) {
            std::optional next = range.method;
            while (next && add(needs, timetables, *next, blocks_of)) {
                next = with_smaller_buffers(*next);
            }
        }
    }
    return needs;
}

Decision with_buffers(const Decision& decision, const std::vector<BufferedMethod>& needs) {
    std::vector<Decision::Range> ranges = decision.ranges();
    for (Decision::Range& range : ranges) {
        if (const BufferedMethod* const need = find(needs, range.method)) {
            range.buffer_blocks = need->buffer_blocks;
        }
    }
    return {std::move(ranges), decision.reason(), decision.basis(), decision.crossover()};
}

Decision within_limit(const LimitedDecision& decision, const std::vector<BufferedMethod>& needs, std::int64_t limit) {
    const std::vector<Decision::Range>& wanted = decision.wanted.ranges();
    Limiter limiter(needs, limit);
    for (std::size_t index = 0; index < wanted.size(); ++index) {
        const std::int64_t end = end_of(wanted, index);
        const std::int64_t covered = limiter.append(wanted[index], end);
        if (covered < end) {
            append_otherwise(limiter, decision.otherwise.ranges(), covered, end);
        }
    }
    std::string reason = decision.wanted.reason();
    if (!needs.empty()) {
        reason += fmt::format("; buffers of at most {} bytes", limit);
    }
    // Sizes that a forced method leaves to the rule may also be decided by time.
    return {limiter.take(), std::move(reason), decision.wanted.basis(),
            decision.wanted.crossover() ? decision.wanted.crossover() : decision.otherwise.crossover()};
}

}  // namespace aapc::selection
