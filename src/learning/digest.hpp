/// @file
/// A number by which ranks see whether they have learned the same.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace aapc::learning {

/// Of values in their order; finds differences, not forgery. O(1) each.
class Digest {
  public:
    template <class Integer>
    void add(Integer value) {
        static_assert(std::is_integral_v<Integer>);
        // The finalizer of splitmix64 (Steele, Lea and Flood, 2014).
        std::uint64_t mixed = value_ + static_cast<std::uint64_t>(value) + 0x9e3779b97f4a7c15U;
        mixed = (mixed ^ mixed >> 30U) * 0xbf58476d1ce4e5b9U;
        mixed = (mixed ^ mixed >> 27U) * 0x94d049bb133111ebU;
        value_ = mixed ^ mixed >> 31U;
    }
    void add(double value) { add(std::bit_cast<std::uint64_t>(value)); }
    void add(const std::vector<double>& values) {
        add(values.size());
        for (const double value : values) {
            add(value);
        }
    }

    [[nodiscard]] std::uint64_t value() const { return value_; }

  private:
    std::uint64_t value_ = 0;
};

}  // namespace aapc::learning
