/// @file
/// Timetables that are kept as a table of times.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "aapc/timetable/timetable.hpp"

namespace aapc {

/// A timetable with a cycle, as the moments at which its messages start: 8 bytes a pair of ranks. No link is asked for
/// more than it carries.
class TickTable final : public Timetable {
  public:
    /// `ticks`: how many the cycle has. `start_ticks`, participants² of them: by from · participants + to, below
    /// `ticks`; from a rank to itself anything.
    TickTable(Rank participants, Phase ticks, const Cycle& cycle, std::vector<Phase> start_ticks,
              std::string remark = {})
        : participants_(participants),
          ticks_(ticks),
          cycle_(cycle),
          start_ticks_(std::move(start_ticks)),
          remark_(std::move(remark)) {}

    [[nodiscard]] Rank participants() const override { return participants_; }
    [[nodiscard]] Phase phases() const override { return ticks_; }
    [[nodiscard]] Guarantee guarantee() const override { return Guarantee::within_capacity; }
    [[nodiscard]] std::optional<Cycle> cycle() const override { return cycle_; }
    [[nodiscard]] std::string remark() const override { return remark_; }
    [[nodiscard]] std::vector<Transfer> sends_of(Rank rank) const override;
    [[nodiscard]] std::vector<Transfer> receives_of(Rank rank) const override;

    /// When one rank's message to another starts. O(1).
    [[nodiscard]] Phase start_tick(Rank from, Rank to) const {
        return start_ticks_[static_cast<std::size_t>(from) * static_cast<std::size_t>(participants_) +
                            static_cast<std::size_t>(to)];
    }
    /// As they were given.
    [[nodiscard]] const std::vector<Phase>& start_ticks() const { return start_ticks_; }

  private:
    Rank participants_;
    Phase ticks_;
    Cycle cycle_;
    std::vector<Phase> start_ticks_;
    std::string remark_;
};

}  // namespace aapc
