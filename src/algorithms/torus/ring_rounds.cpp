#include "algorithms/torus/ring_rounds.hpp"

#include <algorithm>

namespace aapc::torus {

namespace {

std::int32_t modulo(std::int32_t value, std::int32_t modulus) { return (value % modulus + modulus) % modulus; }

}  // namespace

// The circle method: of c diameters, or c + 1 if that makes their number odd, the first c stand in a circle. In round
// r, those at equal distances from r on both sides are paired with each other, and r with the one that does not stand
// in the circle, if there is one.

std::int32_t RingRounds::partner(std::int32_t round, std::int32_t diameter) const {
    if (diameter == modulus_) {
        return round;
    }
    return diameter == round && half_ > modulus_ ? modulus_ : modulo(2 * round - diameter, modulus_);
}

bool RingRounds::is_half_way(std::int32_t round, std::int32_t place) const {
    const std::int32_t diameter = place % half_;
    return is_round_without_pairs(round) || partner(round, diameter) == diameter;
}

std::int32_t RingRounds::slot_of(std::int32_t round, std::int32_t place) const {
    const std::int32_t diameter = place % half_;
    if (is_round_without_pairs(round)) {
        return diameter % slots();
    }
    if (diameter == modulus_) {
        return 0;
    }
    const std::int32_t distance = modulo(diameter - round, modulus_);
    return std::min(distance, modulo(-distance, modulus_));
}

std::int32_t RingRounds::member(std::int32_t round, std::int32_t slot, bool up) const {
    if (is_round_without_pairs(round)) {
        return up ? slot : slot + slots();
    }
    return modulo(round + slot, modulus_);
}

std::int32_t RingRounds::destination(std::int32_t round, std::int32_t place, bool up) const {
    if (is_half_way(round, place)) {
        return goes_up_half_way(place) == up ? (place + half_) % side_ : place;
    }
    const std::int32_t diameter = place % half_;
    const std::int32_t other = partner(round, diameter);
    return up ? modulo(place + modulo(other - diameter, half_), side_)
              : modulo(place - modulo(diameter - other, half_), side_);
}

std::int32_t RingRounds::round_of(std::int32_t from, std::int32_t to) const {
    const std::int32_t left = from % half_;
    const std::int32_t right = to % half_;
    if (left == right) {
        return half_ > modulus_ ? modulus_ : left;
    }
    if (left == modulus_ || right == modulus_) {
        return std::min(left, right);
    }
    // The middle between them; there are oddly many in the circle, so 2 has an inverse.
    const std::int32_t sum = (left + right) % modulus_;
    return sum % 2 == 0 ? sum / 2 : (sum + modulus_) / 2;
}

bool RingRounds::goes_up(std::int32_t from, std::int32_t to) const {
    if (from % half_ == to % half_) {
        return goes_up_half_way(from) == (from != to);
    }
    return modulo(to - from, side_) < half_;
}

std::optional<std::int32_t> RingRounds::user_of_link(std::int32_t round, std::int32_t slot, std::int32_t place,
                                                     bool up) const {
    const std::int32_t first = member(round, slot, up);
    if (!moves(round, first, up)) {
        return std::nullopt;
    }
    const std::int32_t second = is_half_way(round, first) ? first : partner(round, first);
    if (up) {
        return modulo(place - std::min(modulo(place - first, half_), modulo(place - second, half_)), side_);
    }
    return modulo(place + std::min(modulo(first - place, half_), modulo(second - place, half_)), side_);
}

}  // namespace aapc::torus
