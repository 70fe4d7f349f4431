/// @file
/// Whole messages in phase order, one after the other, held back by tokens and barriers.
#pragma once

#include "mpi/execution.hpp"
#include "mpi/pending.hpp"
#include "mpi/scratch.hpp"

namespace aapc::mpi {

/// `none`, `dummy`, and every synchronisation by tokens, by barriers or by both. All receives are posted before the
/// first send; a send starts when the one before is locally complete, its tokens have come and its block of phases is
/// open. A message whose block is copied, and that has not been left out of the plan because tokens tell of it, is sent
/// empty.
class InOrderExecution : public Execution {
  public:
    /// The requests of one exchange, kept because a call may not lack memory for them.
    struct Requests {
        Pending receives;       ///< in phase order
        Pending tokens;         ///< that this rank waits for, in the order of Plan::waits
        Pending sends;          ///< pieces of the message on its way, dummy or not
        Pending signals;        ///< tokens on their way
        Pending dummy_receive;  ///< pieces of the dummy message that is received
    };

    /// Throws std::bad_alloc.
    InOrderExecution(const Transport& transport, const Plan& plan, LocalCopies* copies);
    [[nodiscard]] int run(const Blocks& blocks) override;

  private:
    const Transport& transport_;
    const Plan& plan_;
    LocalCopies* copies_;
    Requests requests_;
    Scratch dummy_block_;  ///< where dummy messages are received
};

}  // namespace aapc::mpi
