/// @file
/// `ports:K`: a machine carries on K messages with other machines at a time.
#pragma once

#include <vector>

#include "mpi/execution.hpp"
#include "mpi/machine_share.hpp"

namespace aapc::mpi {

/// Messages between machines wait for tickets (machine/tickets.hpp); those inside a machine, where they are not copied,
/// go all at once, since they use no port.
class PortedExecution : public Execution {
  public:
    PortedExecution(const Transport& transport, const Plan& plan, MachineMemory::Share& share, LocalCopies* copies);
    [[nodiscard]] int run(const Blocks& blocks) override;

  private:
    const Transport& transport_;
    const Plan& plan_;
    MachineMemory::Share& share_;
    LocalCopies* copies_;
    /// Receivers and senders on other machines, in the plan's order, and on this one.
    std::vector<Rank> receivers_;
    std::vector<Rank> senders_;
    std::vector<Rank> receivers_inside_;
    std::vector<Rank> senders_inside_;
};

}  // namespace aapc::mpi
