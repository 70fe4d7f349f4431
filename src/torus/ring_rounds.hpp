/// @file
/// All moves on one ring, sorted into rounds: what `torus-direct` combines in two dimensions.
#pragma once

#include <cstdint>

namespace aapc::torus {

/// The moves between the places of a ring whose side is a multiple of 4. Opposite places make a *diameter*; the
/// side/2 diameters are the vertices of a complete graph. Each round but the last is one of its perfect matchings (the
/// circle method): a pair of diameters {a, b} makes a circle of four shortest moves upward, a to b, b to a's other end,
/// and so on, and another downward; either uses every link of the ring in its direction once. In the last round, places
/// move to the other end of their diameter, those of the first and the third quarter upward and the others downward, as
/// the routes of a torus do (aapc/torus.hpp); whoever does not move in a direction stays. Over all rounds and both
/// directions, every place moves to every other once, and stays once.
///
/// A pair, or a diameter of the last round, has a *slot*. The last round has two in each: one for either direction.
/// Every answer O(1).
class RingRounds {
  public:
    /// `side` is a multiple of 4.
    explicit RingRounds(std::int32_t side) : side_(side), half_(side / 2), quarter_(side / 4) {}

    [[nodiscard]] std::int32_t rounds() const { return half_; }
    [[nodiscard]] std::int32_t slots() const { return quarter_; }

    [[nodiscard]] std::int32_t slot_of(std::int32_t round, std::int32_t place) const;
    /// Whether the place moves in that direction in the round; otherwise it stays.
    [[nodiscard]] bool moves(std::int32_t round, std::int32_t place, bool up) const {
        return !is_last(round) || goes_up_half_way(place) == up;
    }
    /// Where the place goes to in that direction; itself if it stays.
    [[nodiscard]] std::int32_t destination(std::int32_t round, std::int32_t place, bool up) const;
    /// Where what arrives at the place in that direction comes from; itself if it stays. A circle the other way round
    /// leads back; in the last round places change over.
    [[nodiscard]] std::int32_t origin(std::int32_t round, std::int32_t place, bool up) const {
        return destination(round, place, is_last(round) == up);
    }

    /// The round and direction in which `from` moves to `to`, or stays if they are equal.
    [[nodiscard]] std::int32_t round_of(std::int32_t from, std::int32_t to) const;
    [[nodiscard]] bool goes_up(std::int32_t from, std::int32_t to) const;

    /// From which place the move in that slot and direction starts that uses the link from `place` upward (or
    /// downward).
    [[nodiscard]] std::int32_t user_of_link(std::int32_t round, std::int32_t slot, std::int32_t place, bool up) const;

  private:
    [[nodiscard]] bool is_last(std::int32_t round) const { return round == half_ - 1; }
    [[nodiscard]] bool goes_up_half_way(std::int32_t place) const { return place % half_ < quarter_; }
    /// The diameter that is paired with `diameter`, in any round but the last.
    [[nodiscard]] std::int32_t partner(std::int32_t round, std::int32_t diameter) const;
    /// A diameter of the slot.
    [[nodiscard]] std::int32_t member(std::int32_t round, std::int32_t slot, bool up) const;

    std::int32_t side_;
    std::int32_t half_;
    std::int32_t quarter_;
};

}  // namespace aapc::torus
