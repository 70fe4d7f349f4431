#include "torus/ring_rounds.hpp"

#include <algorithm>

namespace aapc::torus {

namespace {

std::int32_t modulo(std::int32_t value, std::int32_t modulus) { return (value % modulus + modulus) % modulus; }

}  // namespace

// The circle method: of the diameters 0 … c, the last stands in the centre and the others around it. In round r, r is
// paired with the centre, and those at equal distances from r on both sides with each other.

std::int32_t RingRounds::partner(std::int32_t round, std::int32_t diameter) const {
    const std::int32_t centre = half_ - 1;
    if (diameter == centre) {
        return round;
    }
    return diameter == round ? centre : modulo(2 * round - diameter, centre);
}

std::int32_t RingRounds::slot_of(std::int32_t round, std::int32_t place) const {
    const std::int32_t diameter = place % half_;
    if (is_last(round)) {
        return diameter % quarter_;
    }
    const std::int32_t centre = half_ - 1;
    if (diameter == centre) {
        return 0;
    }
    const std::int32_t distance = modulo(diameter - round, centre);
    return std::min(distance, modulo(-distance, centre));
}

std::int32_t RingRounds::member(std::int32_t round, std::int32_t slot, bool up) const {
    if (is_last(round)) {
        return up ? slot : slot + quarter_;
    }
    return modulo(round + slot, half_ - 1);
}

std::int32_t RingRounds::destination(std::int32_t round, std::int32_t place, bool up) const {
    const std::int32_t diameter = place % half_;
    if (is_last(round)) {
        return moves(round, place, up) ? (place + half_) % side_ : place;
    }
    const std::int32_t other = partner(round, diameter);
    return up ? modulo(place + modulo(other - diameter, half_), side_)
              : modulo(place - modulo(diameter - other, half_), side_);
}

std::int32_t RingRounds::round_of(std::int32_t from, std::int32_t to) const {
    const std::int32_t left = from % half_;
    const std::int32_t right = to % half_;
    const std::int32_t centre = half_ - 1;
    if (left == right) {
        return centre;
    }
    if (left == centre || right == centre) {
        return std::min(left, right);
    }
    // The middle between them; there are oddly many around the centre, so 2 has an inverse.
    const std::int32_t sum = (left + right) % centre;
    return sum % 2 == 0 ? sum / 2 : (sum + centre) / 2;
}

bool RingRounds::goes_up(std::int32_t from, std::int32_t to) const {
    if (from % half_ == to % half_) {
        return goes_up_half_way(from) == (from != to);
    }
    return modulo(to - from, side_) < half_;
}

std::int32_t RingRounds::user_of_link(std::int32_t round, std::int32_t slot, std::int32_t place, bool up) const {
    const std::int32_t first = member(round, slot, up);
    const std::int32_t second = is_last(round) ? first : partner(round, first);
    if (up) {
        return modulo(place - std::min(modulo(place - first, half_), modulo(place - second, half_)), side_);
    }
    return modulo(place + std::min(modulo(first - place, half_), modulo(second - place, half_)), side_);
}

}  // namespace aapc::torus
