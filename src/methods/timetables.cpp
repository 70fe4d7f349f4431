#include "aapc/methods/timetables.hpp"

#include <algorithm>
#include <utility>

namespace aapc {

const Bound& Timetables::bound() {
    if (!bound_) {
        bound_ = network_bound(*network_, *placement_);
    }
    return *bound_;
}

void Timetables::build(Entry& entry) const {
    if (given_ != nullptr && given_->is_for(entry.algorithm->name, entry.variant, *placement_)) {
        entry.timetable = given_->timetable;
    } else {
        auto built = build_timetable(*entry.algorithm, entry.variant, *network_, *placement_, effort_);
        if (!built) {
            entry.refusal = std::move(built.error());
            return;
        }
        entry.timetable = std::move(*built);
    }
    entry.phases = entry.timetable->phases();
}

Timetables::Entry& Timetables::entry(const Algorithm& algorithm, std::string_view variant) {
    if (variant.empty()) {
        variant = algorithm.variants.front();
    }
    const auto known = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) {
        return entry.algorithm == &algorithm && entry.variant == variant;
    });
    if (known != entries_.end()) {
        return *known;
    }
    Entry made{&algorithm, std::string(variant), std::nullopt, 0, nullptr};
    build(made);
    return entries_.emplace_back(std::move(made));
}

Expected<std::shared_ptr<const Timetable>> Timetables::find(const Algorithm& algorithm, std::string_view variant) {
    Entry& asked = entry(algorithm, variant);
    if (!asked.timetable && !asked.refusal) {
        build(asked);
    }
    if (asked.refusal) {
        return failure(*asked.refusal);
    }
    return asked.timetable;
}

Expected<Phase> Timetables::phases(const Algorithm& algorithm, std::string_view variant) {
    const Entry& asked = entry(algorithm, variant);
    if (asked.refusal) {
        return failure(*asked.refusal);
    }
    return asked.phases;
}

void Timetables::release(const Algorithm& algorithm, std::string_view variant) {
    for (Entry& entry : entries_) {
        if (entry.algorithm == &algorithm && entry.variant == variant) {
            entry.timetable.reset();
        }
    }
}

}  // namespace aapc
