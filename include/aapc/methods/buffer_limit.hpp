/// @file
/// Store-and-forward within a limit of memory: as many divisions as fit.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "aapc/input/diagnostic.hpp"
#include "aapc/methods/method.hpp"
#include "aapc/timetable/timetable.hpp"
#include "aapc/topology/network.hpp"
#include "aapc/topology/placement.hpp"

namespace aapc {

/// buffer_blocks() of the rank that needs most (aapc/plan/staging.hpp): an exchange of blocks of m bytes takes that
/// many times m bytes of memory on some rank, and no more on any. 0 where nothing is forwarded. As long as all ranks'
/// plans take.
[[nodiscard]] std::int64_t largest_buffer_blocks(const Timetable& timetable);

/// The method that does the same with smaller buffers, as the table has it (Algorithm::smaller_variant); for example
/// `torus` with one division less. Nothing if there is none.
[[nodiscard]] std::optional<Method> with_smaller_buffers(const Method& method);

/// A method and the memory that it takes.
struct BufferedMethod {
    Method method;
    std::int64_t buffer_blocks = 0;  ///< of the rank that needs most
};

/// What became of a method within a limit.
struct FittedMethod {
    BufferedMethod chosen;
    std::vector<BufferedMethod> too_large;  ///< what was wanted, and what was tried after that
};

/// `wanted`, or as little of its reduction by with_smaller_buffers() as lets it do with `most_blocks` blocks of
/// buffers. A diagnostic, without a file, where it cannot be had or none of them fits. `wanted` is not the MPI's own.
[[nodiscard]] Expected<FittedMethod> fit_buffers(const Network& network, const Placement& placement,
                                                 const Method& wanted, std::int64_t most_blocks);

}  // namespace aapc
