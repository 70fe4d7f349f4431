#include "algorithms/lattice/formula.hpp"

#include <utility>

namespace aapc::lattice {

namespace {

/// The number that, times `value`, leaves 1 modulo `modulus`, which is coprime to it (extended Euclid).
std::int64_t inverse(std::int64_t value, std::int64_t modulus) {
    std::int64_t remainder = modulus;
    std::int64_t next_remainder = value % modulus;
    std::int64_t factor = 0;
    std::int64_t next_factor = 1;
    while (next_remainder != 0) {
        const std::int64_t quotient = remainder / next_remainder;
        factor = std::exchange(next_factor, factor - quotient * next_factor);
        remainder = std::exchange(next_remainder, remainder - quotient * next_remainder);
    }
    return (factor % modulus + modulus) % modulus;
}

}  // namespace

LatticeFormula::LatticeFormula(std::int64_t positions, const Multipliers& multipliers)
    : positions_(positions),
      multipliers_(multipliers),
      sender_inverse_(inverse(multipliers.sender, positions)),
      receiver_inverse_(inverse(multipliers.receiver, positions)) {}

Position LatticeFormula::first_receiver(Position from) const {
    const std::int64_t missing = (positions_ - multipliers_.sender * from % positions_) % positions_;
    return static_cast<Position>(missing * receiver_inverse_ % positions_);
}

Position LatticeFormula::first_sender(Position to) const {
    const std::int64_t missing = (positions_ - multipliers_.receiver * to % positions_) % positions_;
    return static_cast<Position>(missing * sender_inverse_ % positions_);
}

}  // namespace aapc::lattice
