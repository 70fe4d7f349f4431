/// @file
/// `ports:K`: a machine carries on K messages with other machines at a time.
#pragma once

#include <vector>

#include "mpi/execution.hpp"
#include "mpi/machine_share.hpp"
#include "mpi/pending.hpp"

namespace aapc::mpi {

/// Messages between machines wait for tickets (machine/tickets.hpp); those inside a machine, where they are not copied,
/// go all at once, since they use no port.
class PortedExecution : public Execution {
  public:
    /// The requests of one exchange, kept because a call may not lack memory for them.
    struct Requests {
        Pending tokens;  ///< that receivers give, in the order of the sends
        Pending tokens_given;
        Pending sends;
        Pending receives;
        Pending inside;
    };

    PortedExecution(const Transport& transport, const Plan& plan, MachineMemory::Share& share, LocalCopies* copies);
    [[nodiscard]] int run(const Blocks& blocks) override;

  private:
    const Transport& transport_;
    const Plan& plan_;
    MachineMemory::Share& share_;
    LocalCopies* copies_;
    Requests requests_;
    /// Receivers and senders on other machines, in the plan's order, and on this one.
    std::vector<Rank> receivers_;
    std::vector<Rank> senders_;
    std::vector<Rank> receivers_inside_;
    std::vector<Rank> senders_inside_;
};

}  // namespace aapc::mpi
