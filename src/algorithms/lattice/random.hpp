/// @file
/// Pseudo-random numbers that are the same on all ranks and machines, which those of <random>'s distributions are not.
#pragma once

#include <cstdint>

namespace aapc::lattice {

/// A linear congruential generator (Knuth's MMIX).
class Generator {
  public:
    explicit Generator(std::int64_t seed) : state_(static_cast<std::uint64_t>(seed)) {}

    /// 0 … below-1; below at most 2^31.
    std::int64_t draw(std::int64_t below) {
        state_ = state_ * 6364136223846793005U + 1442695040888963407U;
        return static_cast<std::int64_t>(((state_ >> 33U) * static_cast<std::uint64_t>(below)) >> 31U);
    }

  private:
    std::uint64_t state_;
};

}  // namespace aapc::lattice
