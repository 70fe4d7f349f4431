/// @file
/// What ring, pairwise and scattered have in common: in each phase every rank sends to one other and receives from one.
#pragma once

#include "aapc/timetable/timetable.hpp"

namespace aapc::baselines {

/// P-1 steps for P ranks, step k (from 1) in phase k-1. In each step the receivers are a permutation of the senders
/// without fixed points, and over all steps every rank sends to every other once. Knows nothing of the network, so it
/// promises one port and no more.
class StepTimetable : public Timetable {
  public:
    explicit StepTimetable(Rank participants) : participants_(participants) {}

    [[nodiscard]] Rank participants() const override { return participants_; }
    [[nodiscard]] Phase phases() const override { return participants_ - 1; }
    [[nodiscard]] Guarantee guarantee() const override { return Guarantee::one_port; }
    [[nodiscard]] std::vector<Transfer> sends_of(Rank rank) const override;
    [[nodiscard]] std::vector<Transfer> receives_of(Rank rank) const override;

  protected:
    /// To whom `rank` sends in `step`, from 1 to participants-1.
    [[nodiscard]] virtual Rank receiver_for(Rank rank, Rank step) const = 0;
    /// From whom `rank` receives in `step`.
    [[nodiscard]] virtual Rank sender_for(Rank rank, Rank step) const = 0;

    /// The rank `distance` places after `rank` in the circle of all; 0 <= distance < participants.
    [[nodiscard]] Rank ahead(Rank rank, Rank distance) const {
        const std::int64_t place = std::int64_t{rank} + distance;
        return static_cast<Rank>(place < participants_ ? place : place - participants_);
    }
    /// The rank `distance` places before `rank`.
    [[nodiscard]] Rank behind(Rank rank, Rank distance) const {
        return rank >= distance ? rank - distance : rank - distance + participants_;
    }

  private:
    Rank participants_;
};

}  // namespace aapc::baselines
