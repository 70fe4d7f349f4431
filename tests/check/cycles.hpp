/// @file
/// Drafts with a cycle, made without any of the project's algorithms.
#pragma once

#include <algorithm>
#include <iterator>
#include <optional>
#include <random>
#include <vector>

#include "aapc/check/schedule.hpp"
#include "aapc/topology/bound.hpp"

namespace aapc::test {

/// Every message at a random tick; the cycle is `slack` times the bound.
inline ScheduleDraft random_cycle(const Network& network, const Placement& placement, Phase ticks, double slack,
                                  std::uint64_t seed) {
    std::mt19937_64 random(seed);
    ScheduleDraft draft{"by hand", "", std::nullopt, {}, Guarantee::within_capacity};
    const double bound = network_bound(network, placement).seconds_per_byte;
    draft.cycle = Cycle{slack * bound, bound};
    draft.ticks = ticks;
    for (Rank from = 0; from < placement.participants(); ++from) {
        for (Rank to = 0; to < placement.participants(); ++to) {
            if (from != to) {
                draft.transfers.push_back({static_cast<Phase>(random() % static_cast<std::uint64_t>(ticks)), from, to});
            }
        }
    }
    std::sort(draft.transfers.begin(), draft.transfers.end());
    return draft;
}

/// Answers from a draft, as an algorithm would.
class WrittenTimetable final : public Timetable {
  public:
    explicit WrittenTimetable(ScheduleDraft draft, Rank participants)
        : draft_(std::move(draft)), participants_(participants) {}
    Rank participants() const override { return participants_; }
    Phase phases() const override { return draft_.ticks; }
    Guarantee guarantee() const override { return draft_.guarantee; }
    std::optional<Cycle> cycle() const override { return draft_.cycle; }
    std::vector<Transfer> sends_of(Rank rank) const override {
        ++asked;
        return of(&Transfer::from, rank);
    }
    std::vector<Transfer> receives_of(Rank rank) const override {
        ++asked;
        return of(&Transfer::to, rank);
    }
    mutable int asked = 0;

  private:
    std::vector<Transfer> of(Rank Transfer::*end, Rank rank) const {
        std::vector<Transfer> found;
        std::copy_if(draft_.transfers.begin(), draft_.transfers.end(), std::back_inserter(found),
                     [&](const Transfer& message) { return message.*end == rank; });
        return found;
    }
    ScheduleDraft draft_;
    Rank participants_;
};

}  // namespace aapc::test
