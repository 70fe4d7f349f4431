/// @file
/// What a timetable that forwards knows of its ranks' buffers without their plans.
#pragma once

#include <cstdint>

#include "aapc/timetable/timetable.hpp"
#include "aapc/topology/placement.hpp"
#include "input/polymorphic.hpp"

namespace aapc {

/// A second base of timetables that know such a bound quickly: the search for the rank that needs most then makes few
/// plans.
class BufferBound : public Polymorphic {
  public:
    /// At least buffer_blocks() of the rank's plan (aapc/plan/staging.hpp), where messages of `window` phases at most
    /// are under way at once.
    [[nodiscard]] virtual std::int64_t most_buffer_blocks(Rank rank, Phase window) const = 0;
};

}  // namespace aapc
