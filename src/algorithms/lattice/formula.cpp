#include "algorithms/lattice/formula.hpp"

namespace aapc::lattice {

namespace {

constexpr Tick golden = 648055;  // 2^20 · (√5-1)/2, odd

}  // namespace

LatticeFormula::LatticeFormula(std::int64_t positions, const Multipliers& multipliers) {
    departure_.reserve(static_cast<std::size_t>(positions));
    arrival_.reserve(static_cast<std::size_t>(positions));
    const auto next = [positions](std::int64_t slot, std::int64_t multiplier) {
        return slot + multiplier - (slot + multiplier >= positions ? positions : 0);
    };
    std::int64_t sender_slot = 0;
    std::int64_t receiver_slot = 0;
    for (std::int64_t position = 0; position < positions; ++position) {
        const Tick stagger = multipliers.staggered ? golden * position % ticks_in_slot : 0;
        departure_.push_back(sender_slot * ticks_in_slot + stagger);
        arrival_.push_back(receiver_slot * ticks_in_slot);
        sender_slot = next(sender_slot, multipliers.sender);
        receiver_slot = next(receiver_slot, multipliers.receiver);
    }
}

LatticeFormula::LatticeFormula(const Seats& seats, const SwitchSteps& steps) {
    const auto positions = static_cast<std::int64_t>(seats.by_position.size());
    const Tick ticks = positions * ticks_in_slot;
    const std::int64_t largest = *std::max_element(seats.ranks_at.begin(), seats.ranks_at.end());
    departure_.reserve(seats.by_position.size());
    arrival_.reserve(seats.by_position.size());
    for (const Seat& seat : seats.by_position) {
        const Tick place = ticks / seats.ranks_at[static_cast<std::size_t>(seat.at)] * seat.place;
        departure_.push_back((steps.sender * seat.at + place) % ticks);
        arrival_.push_back((steps.receiver * seat.at + place / largest) % ticks);
    }
}

}  // namespace aapc::lattice
