#include "methods/cycle_times.hpp"

#include <algorithm>
#include <cmath>

namespace aapc::documents {

double fraction_of(Phase tick, Phase ticks) {
    const auto fraction = static_cast<double>(static_cast<long double>(tick) / static_cast<long double>(ticks));
    return std::min(fraction, std::nextafter(1.0, 0.0));
}

Phase tick_at(double fraction, Phase ticks) {
    const auto nearest = static_cast<Phase>(std::floor(static_cast<long double>(fraction) * ticks + 0.5L));
    // Of very many ticks several have the same fraction, and the nearest may be rounded to its neighbour.
    for (const Phase tick : {nearest, nearest - 1, nearest + 1}) {
        if (tick >= 0 && tick < ticks && fraction_of(tick, ticks) == fraction) {
            return tick;
        }
    }
    return std::min(nearest, ticks - 1);
}

}  // namespace aapc::documents
