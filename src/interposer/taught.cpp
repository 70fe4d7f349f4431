#include "interposer/taught.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <span>
#include <utility>
#include <vector>

#include "aapc/input/statistics.hpp"
#include "archive/learned.hpp"
#include "input/environment.hpp"

namespace aapc::interposer {

namespace {

constexpr double taught_confidence = 0.9;

Lead taught_lead(std::span<const double> own, std::span<const double> chosen) {
    const std::size_t pairs = std::min(own.size(), chosen.size());
    const Estimate ratio = paired_ratio(own.last(pairs), chosen.last(pairs), taught_confidence);
    return {ratio.value, ratio.interval.low, ratio.interval.high};
}

/// What one class has taught; nullopt if no candidate was tried, or the native routine was not.
std::optional<selection::LearnedSize> taught_size(std::int64_t bytes, const learning::Trials& one,
                                                  const std::function<Method(std::size_t)>& method_of) {
    const std::vector<learning::Prospect>& prospects = one.prospects();
    const std::size_t winner = one.winner();
    const std::vector<double>& own = one.evidence(0).samples;
    const std::vector<double>& chosen = one.evidence(winner).samples;
    bool tried = false;
    std::optional<std::size_t> second;
    for (std::size_t index = 0; index < prospects.size(); ++index) {
        tried = tried || (index > 0 && one.evidence(index).measured > 0);
        const auto seconds = one.typical_seconds(index);
        if (index != winner && seconds && (!second || *seconds < *one.typical_seconds(*second))) {
            second = index;
        }
    }
    if (!tried || own.empty() || chosen.empty()) {
        return std::nullopt;
    }
    MeasuredSize measured;
    measured.bytes = bytes;
    measured.native_seconds = median(own);
    measured.chosen_seconds = median(chosen);
    measured.lead = winner == 0 ? Lead() : taught_lead(own, chosen);
    measured.spread = relative_spread(chosen);
    measured.repeats = static_cast<std::int64_t>(chosen.size());
    if (second) {
        measured.runner_up = RunnerUp{method_of(prospects[*second].method), median(one.evidence(*second).samples)};
    }
    return selection::LearnedSize{method_of(prospects[winner].method), measured};
}

}  // namespace

std::optional<Tuning> tuning_of(const learning::Learner& learner, const std::function<Method(std::size_t)>& method_of,
                                const std::function<std::int64_t(std::int64_t)>& bytes_of) {
    std::vector<selection::LearnedSize> sizes;
    learning::Budget budget;
    for (const auto& [key, one] : learner.classes()) {
        const std::int64_t bytes = bytes_of(one.size());
        const bool is_next = sizes.empty() || sizes.back().measured.bytes < bytes;
        const bool had_calls = one.budget_here().calls > 0;
        if (auto size = is_next && had_calls ? taught_size(bytes, one, method_of) : std::nullopt) {
            sizes.push_back(std::move(*size));
            budget += one.budget_here();
        }
    }
    if (sizes.empty()) {
        return std::nullopt;
    }
    Tuning tuning;
    tuning.conditions.date = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
    tuning.conditions.duration_seconds = budget.seconds;
    tuning.conditions.host = host_name();
    tuning.conditions.calls = std::max<std::int64_t>(budget.calls, 1);
    tuning.ranges = selection::learned_ranges(sizes);
    return tuning;
}

}  // namespace aapc::interposer
