/// @file
/// All moves on one ring, sorted into rounds: what `torus-direct` combines over the dimensions.
#pragma once

#include <cstdint>
#include <optional>

namespace aapc::torus {

/// The moves between the places of a ring of even side. Opposite places make a *diameter*; the side/2 diameters are the
/// vertices of a complete graph, and each round is one of its matchings (the circle method). A pair of diameters {a, b}
/// makes a circle of four shortest moves upward, a to b, b to a's other end, and so on, and another downward; either
/// uses every link of the ring in its direction once. A diameter without a partner moves *half-way*: its ends change
/// over, upward if they are in the first and the third quarter of the ring, downward otherwise, as the routes of a
/// torus do (aapc/topology/torus.hpp). If the diameters are odd in number, one is without a partner in each round. If
/// they are even in number, none is but in one more round, in which all are. A place that does not move in a direction
/// stays. Over all rounds and both directions, every place moves to every other once, and stays once.
///
/// The places of a pair, or of a diameter without a partner, have a *slot*. The round in which all diameters are
/// without has two in each: one for either direction. Every answer O(1).
class RingRounds {
  public:
    /// `side` is even.
    explicit RingRounds(std::int32_t side)
        : side_(side), half_(side / 2), modulus_(half_ % 2 == 0 ? half_ - 1 : half_) {}

    [[nodiscard]] std::int32_t rounds() const { return half_; }
    [[nodiscard]] std::int32_t slots() const { return (half_ + 1) / 2; }

    [[nodiscard]] std::int32_t slot_of(std::int32_t round, std::int32_t place) const;
    /// Whether the place moves in that direction in the round; otherwise it stays.
    [[nodiscard]] bool moves(std::int32_t round, std::int32_t place, bool up) const {
        return !is_half_way(round, place) || goes_up_half_way(place) == up;
    }
    /// Where the place goes to in that direction; itself if it stays.
    [[nodiscard]] std::int32_t destination(std::int32_t round, std::int32_t place, bool up) const;
    /// Where what arrives at the place in that direction comes from; itself if it stays. A circle the other way round
    /// leads back; half-way, places change over.
    [[nodiscard]] std::int32_t origin(std::int32_t round, std::int32_t place, bool up) const {
        return destination(round, place, is_half_way(round, place) == up);
    }

    /// The round and direction in which `from` moves to `to`, or stays if they are equal.
    [[nodiscard]] std::int32_t round_of(std::int32_t from, std::int32_t to) const;
    [[nodiscard]] bool goes_up(std::int32_t from, std::int32_t to) const;

    /// From which place the move in that slot and direction starts that uses the link from `place` upward (or
    /// downward); nothing if the slot's only diameter goes half-way in the other direction.
    [[nodiscard]] std::optional<std::int32_t> user_of_link(std::int32_t round, std::int32_t slot, std::int32_t place,
                                                           bool up) const;

  private:
    /// The round of a ring with an even number of diameters in which all of them go half-way.
    [[nodiscard]] bool is_round_without_pairs(std::int32_t round) const { return round == modulus_; }
    [[nodiscard]] bool is_half_way(std::int32_t round, std::int32_t place) const;
    [[nodiscard]] bool goes_up_half_way(std::int32_t place) const { return 2 * (place % half_) < half_; }
    /// The diameter that is paired with `diameter`, in a round of pairs; itself if none is.
    [[nodiscard]] std::int32_t partner(std::int32_t round, std::int32_t diameter) const;
    /// A diameter of the slot, of two without a partner the one that goes in that direction.
    [[nodiscard]] std::int32_t member(std::int32_t round, std::int32_t slot, bool up) const;

    std::int32_t side_;
    std::int32_t half_;     ///< the number of diameters
    std::int32_t modulus_;  ///< the number of those that stand in a circle: an odd number
};

}  // namespace aapc::torus
