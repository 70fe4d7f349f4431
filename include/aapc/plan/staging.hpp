/// @file
/// Store-and-forward: which messages are packed and unpacked, and the memory and the copies for that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "aapc/plan/plan.hpp"

namespace aapc {

/// What a rank does at once: the indices of its messages into Plan::sends and Plan::receives.
struct PhaseSteps {
    Phase phase = 0;  ///< the first, where there are several
    std::size_t first_send = 0;
    std::size_t end_of_sends = 0;
    std::size_t first_receive = 0;
    std::size_t end_of_receives = 0;
};

/// The steps of a plan that forwards, in order: the phases in which the rank sends or receives, each by itself. With
/// `window:W` the phases of a window are one step, unless the rank sends on a block in the step in which it receives
/// it. O(messages + runs), with `window:W` times log of the runs of a step.
[[nodiscard]] std::vector<PhaseSteps> steps_of(const Plan& plan);

/// How many blocks one message carries.
[[nodiscard]] std::size_t count_blocks(const std::vector<BlockRun>& runs);

/// Where the messages of a plan are put together. A message whose blocks lie in one piece is sent and received where
/// they are; others are packed into, and unpacked from, staging memory that every step uses again.
struct Staging {
    static constexpr std::ptrdiff_t in_place = -1;

    /// For each message the block of the staging memory where it starts, or `in_place`.
    std::vector<std::ptrdiff_t> of_send;     ///< [index into Plan::sends]
    std::vector<std::ptrdiff_t> of_receive;  ///< [index into Plan::receives]
    std::size_t blocks = 0;                  ///< of staging memory, for the step that needs most
    std::int64_t copied_blocks = 0;          ///< packed and unpacked in one exchange
    std::int64_t copies = 0;                 ///< pieces in which they are copied
};

/// Empty for a plan that forwards no blocks. O(messages + runs).
[[nodiscard]] Staging plan_staging(const Plan& plan);

/// The memory that one rank's exchange needs, in blocks: those in transit and the staging. The executor allocates that
/// many times the size of a block, and no other memory that grows with it. 0 for a plan that forwards no blocks.
/// O(messages + runs).
[[nodiscard]] std::int64_t buffer_blocks(const Plan& plan);

}  // namespace aapc
