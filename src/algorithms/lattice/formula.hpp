/// @file
/// The lattice: at which tick of the cycle every message starts, by arithmetic alone.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

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

/// By how many ticks the messages of a switch are later than those of the switch before it: 0 … P·2^20 - 1.
struct SwitchSteps {
    Tick sender = 0;    ///< those that its ranks send
    Tick receiver = 0;  ///< those that its ranks receive
};

/// Message i→j starts at the sum, modulo the cycle, of what the sender and what the receiver has for an offset. Space
/// 16 bytes a position.
class LatticeFormula {
  public:
    /// Slot (sender·i + receiver·j) mod P, and within the slot at frac(i·g), g = (√5-1)/2, if staggered. Every row and
    /// every column has one message in each slot (one of them the rank's message to itself, which is none): ports are
    /// evenly loaded whatever the multipliers; how evenly trunks are depends on them. O(P).
    LatticeFormula(std::int64_t positions, const Multipliers& multipliers);

    /// By switch: with i in place h of n at switch v, j in place k of m at switch w, and r the ranks of the largest
    /// switch, the fraction h/n + k/(m·r) of a cycle, and v and w steps more. The messages between two switches of r
    /// ranks are r² evenly spaced ones, and those that one rank of them receives are r, whatever the steps. O(P).
    LatticeFormula(const Seats& seats, const SwitchSteps& steps);

    [[nodiscard]] std::int64_t positions() const { return static_cast<std::int64_t>(departure_.size()); }
    [[nodiscard]] Tick ticks() const { return positions() * ticks_in_slot; }
    /// 0 … ticks() - 1.
    [[nodiscard]] Tick departure(Position from) const { return departure_[static_cast<std::size_t>(from)]; }
    [[nodiscard]] Tick arrival(Position to) const { return arrival_[static_cast<std::size_t>(to)]; }
    [[nodiscard]] Tick tick(Position from, Position to) const {
        const Tick sum = departure(from) + arrival(to);
        return sum - (sum >= ticks() ? ticks() : 0);
    }
    [[nodiscard]] std::int64_t slot(Position from, Position to) const { return tick(from, to) / ticks_in_slot; }

    friend bool operator==(const LatticeFormula&, const LatticeFormula&) = default;

  private:
    std::vector<Tick> departure_;  ///< by position
    std::vector<Tick> arrival_;    ///< by position
};

/// Sorts fewer than 2^32 items by tick_of(item), 0 … ticks - 1. O(items) if the ticks are spread evenly, otherwise
/// O(items · log items). `sorted` and `begin` are scratch.
template <class Item, class TickOf>
void sort_by_tick(std::vector<Item>& items, Tick ticks, TickOf tick_of, std::vector<Item>& sorted,
                  std::vector<std::uint32_t>& begin) {
    unsigned shift = 0;
    while (static_cast<std::size_t>(ticks >> shift) > items.size()) {
        ++shift;
    }
    const auto bucket = [&](const Item& item) { return static_cast<std::size_t>(tick_of(item) >> shift); };
    begin.assign(static_cast<std::size_t>(ticks >> shift) + 2, 0);
    for (const Item& item : items) {
        ++begin[bucket(item) + 1];
    }
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    sorted.resize(items.size());
    for (const Item& item : items) {
        sorted[begin[bucket(item)]++] = item;
    }
    std::uint32_t first = 0;  // each bucket begins where the one before it ends
    for (const std::uint32_t end : begin) {
        if (end > first + 1) {
            std::sort(sorted.begin() + static_cast<std::ptrdiff_t>(first),
                      sorted.begin() + static_cast<std::ptrdiff_t>(end),
                      [&](const Item& left, const Item& right) { return tick_of(left) < tick_of(right); });
        }
        first = end;
    }
    items.swap(sorted);
}

}  // namespace aapc::lattice
