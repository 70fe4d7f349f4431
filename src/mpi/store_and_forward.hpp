/// @file
/// Store-and-forward: messages that carry several blocks, some of them on their way to other ranks.
#pragma once

#include <cstddef>
#include <vector>

#include "aapc/plan/staging.hpp"
#include "mpi/barriers.hpp"
#include "mpi/execution.hpp"
#include "mpi/scratch.hpp"

namespace aapc::mpi {

/// Step after step in lock-step: what is sent and received in a step is complete and in its place before the next one
/// starts. A step is a phase, or as many of a window's as need not wait for each other (steps_of()). Blocks that lie in
/// one piece are sent and received where they are; others are packed and unpacked.
///
/// It cannot deadlock: of the messages that are incomplete anywhere take one of the earliest phase; both its ends have
/// completed everything before that phase, so each is in the step that it belongs to, has started it and awaits it.
class ForwardingExecution : public Execution {
  public:
    ForwardingExecution(const Transport& transport, const Plan& plan);
    [[nodiscard]] int run(const Blocks& blocks) override;

  private:
    /// The buffers of one call.
    struct Memory {
        const Blocks& blocks;
        std::byte* transit;
        std::byte* staging;  ///< messages that are packed and unpacked, of one step

        [[nodiscard]] const std::byte* readable(const BlockRun& run) const;
        /// The plan puts nothing into the send buffer.
        [[nodiscard]] std::byte* writable(const BlockRun& run) const;
        [[nodiscard]] std::byte* staged(std::ptrdiff_t block) const {
            return staging + static_cast<std::size_t>(block) * blocks.bytes;
        }
    };

    int pass_barriers(Barriers& barriers, Phase phase) const;
    int run_step(const PhaseSteps& step, const Memory& memory);
    void pack(const PhaseSteps& step, const Memory& memory) const;
    int start(const PhaseSteps& step, const Memory& memory);
    /// Requests of the step that has most.
    [[nodiscard]] std::size_t most_requests() const;
    void unpack(const PhaseSteps& step, const Memory& memory) const;

    const Transport& transport_;
    const Plan& plan_;
    std::vector<PhaseSteps> steps_;
    Staging messages_;  ///< where they are packed and unpacked
    Pending pending_;   ///< of the step under way
    Scratch transit_;
    Scratch staging_;
};

}  // namespace aapc::mpi
