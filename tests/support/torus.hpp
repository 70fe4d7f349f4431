/// @file
/// Tori for tests.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "aapc/topology/torus.hpp"

namespace aapc::test {

using Sides = std::vector<std::int32_t>;

/// Machines t0, t1, ... with one rank each, or as many as `ranks`.
inline Network torus_of(const Sides& sides, std::int32_t ranks = 1, double bits_per_second = 1e8) {
    const std::int32_t machines = std::accumulate(sides.begin(), sides.end(), 1, std::multiplies<>());
    std::vector<TorusMachine> declared;
    for (std::int32_t machine = 0; machine < machines; ++machine) {
        declared.push_back({fmt::format("t{}", machine), ranks});
    }
    return torus_network(sides, declared, bits_per_second);
}

/// "8x8", for what a failure is repeated with.
inline std::string text(const Sides& sides) { return fmt::format("{}", fmt::join(sides, "x")); }

/// All tori of one to three sides of at least 1, of at most `machines` machines.
inline std::vector<Sides> small_tori(std::int32_t machines) {
    std::vector<Sides> tori;
    for (std::int32_t first = 1; first <= machines; ++first) {
        tori.push_back({first});
        for (std::int32_t second = 1; first * second <= machines; ++second) {
            tori.push_back({first, second});
            for (std::int32_t third = 1; first * second * third <= machines; ++third) {
                tori.push_back({first, second, third});
            }
        }
    }
    return tori;
}

}  // namespace aapc::test
