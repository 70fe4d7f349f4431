#include "selection/unequal_rule.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "aapc/methods/cadence.hpp"
#include "input/enumerator_names.hpp"
#include "selection/crossover.hpp"
#include "selection/start.hpp"

namespace aapc::selection {

namespace {

constexpr EnumeratorNames<UnequalUse, UnequalUse::never> unequal_use_names({
    {UnequalUse::automatic, "auto"},
    {UnequalUse::always, "always"},
    {UnequalUse::never, "never"},
});

}  // namespace

Expected<UnequalUse> parse_unequal_use(std::string_view text) {
    if (text.empty()) {
        return UnequalUse::automatic;
    }
    if (const auto named = unequal_use_names.find(text)) {
        return *named;
    }
    return failure(fmt::format("'{}' does not say when unequal messages are exchanged", text),
                   "give auto, always or never");
}

Expected<Method> method_for_unequal(NetworkKind kind) { return parse_method("lattice/formula+timed", kind); }

UnequalCrossover unequal_crossover(const Network& network, const Placement& placement, const Bound& bound,
                                   std::optional<double> start_seconds) {
    const double start = start_seconds.value_or(expected_start_seconds(bound, placement.participants()));
    return {crossover(network, placement, bound, start).bound_seconds,
            crossover(network, placement, bound, start, gain_at_one_link).bound_seconds};
}

bool is_at_one_link(const DemandBound& bound) { return 2 * bound.rest_nanoseconds <= bound.nanoseconds; }

Expected<Prepared> prepare_for_unequal(const Network& network, const Placement& placement, const Bound& bound,
                                       const Method& method) {
    auto prepared = prepare(network, placement, bound, method);
    if (!prepared) {
        return failure(said_of(method, std::move(prepared.error())));
    }
    prepared->cadence = cadence_for_unequal(network, bound, prepared->cadence);
    return prepared;
}

bool worth_exchanging(UnequalUse use, const DemandBound& bound, double agreement_seconds,
                      const UnequalCrossover& crossover, double uncertainty) {
    const bool one_link = is_at_one_link(bound);
    const double least = one_link ? crossover.at_one_link_seconds : crossover.usual_seconds;
    const double gain = one_link ? gain_at_one_link : gain_of_schedule;
    switch (use) {
        case UnequalUse::never:
            return false;
        case UnequalUse::always:
            return bound.nanoseconds > 0;
        default:
            return uncertainty * bound.seconds() >= least + agreement_seconds / gain;
    }
}

const Method& tuned_method(const Tuning& tuning, std::int64_t bytes) {
    const Method* found = &tuning.ranges.front().method;
    for (const TunedRange& range : tuning.ranges) {
        found = range.from_bytes <= bytes ? &range.method : found;
    }
    return *found;
}

bool Inquiry::asks() {
    if (use_ != UnequalUse::automatic) {
        return use_ == UnequalUse::always;
    }
    if (left_ > 0) {
        --left_;
        return false;
    }
    return true;
}

void Inquiry::learn(bool worth) {
    if (worth) {
        in_vain_ = 0;
        distance_ = 1;
        return;
    }
    if (++in_vain_ < patience) {
        return;
    }
    distance_ = std::min(2 * distance_, longest_distance);
    left_ = distance_ - 1;
}

}  // namespace aapc::selection
