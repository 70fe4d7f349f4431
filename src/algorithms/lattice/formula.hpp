/// @file
/// The lattice: at which tick of the cycle every message starts, by arithmetic alone.
#pragma once

#include <cstdint>

#include "algorithms/lattice/positions.hpp"

namespace aapc::lattice {

/// A moment in a cycle, counted from 0.
using Tick = std::int64_t;

/// A cycle of P positions has P slots of this many ticks. A power of two.
inline constexpr Tick ticks_in_slot = Tick{1} << 20U;

/// What distinguishes one lattice from another of the same size.
struct Multipliers {
    std::int64_t sender = 1;    ///< coprime to P, 1 … P-1 (P = 1: 1)
    std::int64_t receiver = 1;  ///< the same
    bool staggered = true;      ///< whether senders start at different moments of their slots

    friend bool operator==(const Multipliers&, const Multipliers&) = default;
};

/// Message i→j starts in slot (sender·i + receiver·j) mod P, and within the slot at frac(i·g), g = (√5-1)/2, if
/// staggered. Every row and every column has one message in each slot (one of them the rank's message to itself, which
/// is none): ports are evenly loaded whatever the multipliers; how evenly trunks are depends on them.
class LatticeFormula {
  public:
    LatticeFormula(std::int64_t positions, const Multipliers& multipliers);

    [[nodiscard]] std::int64_t positions() const { return positions_; }
    [[nodiscard]] const Multipliers& multipliers() const { return multipliers_; }
    [[nodiscard]] Tick ticks() const { return positions_ * ticks_in_slot; }

    [[nodiscard]] std::int64_t slot(Position from, Position to) const {
        return (multipliers_.sender * from + multipliers_.receiver * to) % positions_;
    }
    [[nodiscard]] Tick stagger(Position from) const {
        return multipliers_.staggered ? (golden * from) % ticks_in_slot : 0;
    }
    [[nodiscard]] Tick tick(Position from, Position to) const { return slot(from, to) * ticks_in_slot + stagger(from); }
    /// To whom `from` sends in slot 0 (perhaps itself); what next_receiver() is to follow. In each later slot it sends
    /// to the position that is so many further on, modulo P.
    [[nodiscard]] Position first_receiver(Position from) const;
    [[nodiscard]] std::int64_t receiver_step() const { return receiver_inverse_; }
    /// The same for who sends to `to`.
    [[nodiscard]] Position first_sender(Position to) const;
    [[nodiscard]] std::int64_t sender_step() const { return sender_inverse_; }

  private:
    static constexpr Tick golden = 648055;  ///< 2^20 · (√5-1)/2, odd

    std::int64_t positions_;
    Multipliers multipliers_;
    std::int64_t sender_inverse_;
    std::int64_t receiver_inverse_;
};

}  // namespace aapc::lattice
