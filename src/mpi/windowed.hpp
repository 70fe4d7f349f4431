/// @file
/// `window`: all messages of a block of phases at once, as MPI libraries' own routines do it.
#pragma once

#include "mpi/execution.hpp"

namespace aapc::mpi {

/// Blocks of one phase are a row of MPI_Sendrecv; one block of all phases is a heap of MPI_Isend and MPI_Irecv and one
/// MPI_Waitall. Receives are posted block by block and not before, for so do the routines that this stands for.
///
/// It cannot deadlock: a message belongs to the same block at both ends, so those of the earliest block that is
/// incomplete anywhere are started and awaited at both ends.
class WindowedExecution : public Execution {
  public:
    WindowedExecution(const Transport& transport, const Plan& plan, LocalCopies* copies);
    [[nodiscard]] int run(const Blocks& blocks) override;

  private:
    /// The messages before these have been started.
    struct Position {
        std::size_t send = 0;     ///< index into Plan::sends
        std::size_t receive = 0;  ///< index into Plan::receives
    };
    [[nodiscard]] bool at_end(const Position& position) const;
    /// The end of the next block in which this rank has a message.
    [[nodiscard]] Phase end_of_block(const Position& position) const;
    int start_block(const Blocks& blocks, Position& position);

    const Transport& transport_;
    const Plan& plan_;
    LocalCopies* copies_;
    Phase block_phases_;
    Pending pending_;  ///< of the block of phases under way
};

}  // namespace aapc::mpi
