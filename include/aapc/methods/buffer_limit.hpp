/// @file
/// Store-and-forward within a limit of memory: as many divisions as fit.
#pragma once

#include <cstdint>
#include <optional>

#include "aapc/methods/method.hpp"
#include "aapc/timetable/timetable.hpp"

namespace aapc {

/// buffer_blocks() of the rank that needs most (aapc/plan/staging.hpp): an exchange of blocks of m bytes takes that
/// many times m bytes of memory on some rank, and no more on any. 0 where nothing is forwarded. As long as all ranks'
/// plans take.
[[nodiscard]] std::int64_t largest_buffer_blocks(const Timetable& timetable, const Synchronisation& synchronisation);

/// The method that does the same with smaller buffers, as the table has it (Algorithm::smaller_variant); for example
/// `torus` with one division less. Nothing if there is none.
[[nodiscard]] std::optional<Method> with_smaller_buffers(const Method& method);

/// A method and the memory that it takes.
struct BufferedMethod {
    Method method;
    std::int64_t buffer_blocks = 0;  ///< of the rank that needs most
};

}  // namespace aapc
