/// @file
/// Whole messages in phase order, one after the other, held back by tokens and barriers.
#pragma once

#include "mpi/execution.hpp"
#include "mpi/scratch.hpp"

namespace aapc::mpi {

/// `none`, `dummy`, and every synchronisation by tokens, by barriers or by both. All receives are posted before the
/// first send; a send starts when the one before is locally complete, its tokens have come and its block of phases is
/// open. A message whose block is copied, and that has not been left out of the plan because tokens tell of it, is sent
/// empty.
class InOrderExecution : public Execution {
  public:
    InOrderExecution(const Transport& transport, const Plan& plan, LocalCopies* copies)
        : transport_(transport), plan_(plan), copies_(copies) {}
    [[nodiscard]] int run(const Blocks& blocks) override;

  private:
    const Transport& transport_;
    const Plan& plan_;
    LocalCopies* copies_;
    Scratch dummy_block_;  ///< where dummy messages are received
};

}  // namespace aapc::mpi
