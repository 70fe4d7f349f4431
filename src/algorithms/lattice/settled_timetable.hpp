/// @file
/// The lattice's variant `settled`: slots from a search, kept as a table.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "aapc/input/diagnostic.hpp"
#include "aapc/timetable/timetable.hpp"
#include "aapc/topology/network.hpp"
#include "aapc/topology/placement.hpp"
#include "algorithms/lattice/formula.hpp"
#include "algorithms/lattice/positions.hpp"
#include "algorithms/lattice/settle.hpp"
#include "algorithms/lattice/traffic.hpp"

namespace aapc::lattice {

/// Slots of all messages: 8 bytes a pair.
class SettledTimetable final : public Timetable {
  public:
    /// `ticks`: by from · positions + to.
    SettledTimetable(Positions positions, std::vector<Tick> ticks, std::int64_t slots, const Cycle& cycle)
        : positions_(std::move(positions)), ticks_(std::move(ticks)), slots_(slots), cycle_(cycle) {}

    [[nodiscard]] Rank participants() const override { return static_cast<Rank>(positions_.rank_at.size()); }
    [[nodiscard]] Phase phases() const override { return slots_ * ticks_in_slot; }
    [[nodiscard]] Guarantee guarantee() const override { return Guarantee::within_capacity; }
    [[nodiscard]] std::optional<Cycle> cycle() const override { return cycle_; }
    [[nodiscard]] std::vector<Transfer> sends_of(Rank rank) const override;
    [[nodiscard]] std::vector<Transfer> receives_of(Rank rank) const override;

    /// When one rank's message to another starts. O(1).
    [[nodiscard]] Phase tick(Rank from, Rank to) const {
        return ticks_[static_cast<std::size_t>(position_of(from)) * positions_.rank_at.size() +
                      static_cast<std::size_t>(position_of(to))];
    }
    [[nodiscard]] std::int64_t slots() const { return slots_; }

  private:
    [[nodiscard]] Position position_of(Rank rank) const {
        return positions_.position_of[static_cast<std::size_t>(rank)];
    }
    /// transfer_with(other) for every other rank, in the order of their times.
    template <typename TransferWith>
    [[nodiscard]] std::vector<Transfer> transfers_with_others(Rank rank, TransferWith transfer_with) const;

    Positions positions_;
    std::vector<Tick> ticks_;
    std::int64_t slots_;
    Cycle cycle_;
};

/// The timetable of a settlement that succeeded. Within its slot a message starts when its machine's card has sent the
/// machine's earlier messages of that slot, which matters for cards faster than the slots'. Messages inside machines,
/// which cross no link, are spread over the cycle. `bound_seconds_per_byte` as Cycle has it.
[[nodiscard]] std::unique_ptr<SettledTimetable> settled_timetable(Positions places, const Traffic& traffic,
                                                                  const Settlement& settlement,
                                                                  double bound_seconds_per_byte);

}  // namespace aapc::lattice
