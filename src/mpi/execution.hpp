/// @file
/// The ways in which an exchange is carried out.
///
/// Calls follow each other without a barrier, so a rank may be sent messages of calls that it has not entered yet. They
/// are never mistaken for those of the call it is in, whenever its receives are posted: between an ordered pair of
/// ranks and for one tag, every way starts its sends and posts its receives in the same order at both ends, namely in
/// the order of the calls, within a call in the order of the phases (`timed`: of the segments), and within a message in
/// that of its pieces; and MPI matches messages of one sender and tag in the order in which they were sent (MPI 3.1,
/// section 3.5). For the calls this holds because all receives of one are complete before it ends. Two exchanges never
/// meet, because each has its own communicator.
#pragma once

#include <cstddef>
#include <memory>

#include "aapc/mpi/exchange.hpp"
#include "aapc/plan/plan.hpp"
#include "input/polymorphic.hpp"
#include "mpi/blocks.hpp"
#include "mpi/local_copies.hpp"
#include "mpi/transport.hpp"

namespace aapc::mpi {

/// One way of carrying out a plan. Moves everything but a rank's block to itself and those that are copied.
class Execution : public Polymorphic {
  public:
    /// Collective. Returns the first error code of an MPI call, or Exchange::declined; what goes wrong with messages is
    /// noted in the transport's trouble(). Takes no memory for blocks of less than 2^31 bytes but where that is noted.
    [[nodiscard]] virtual int run(const Blocks& blocks) = 0;
    [[nodiscard]] const ExchangeReport& report() const { return report_; }

  protected:
    ExchangeReport report_;
};

/// The way that suits the plan's synchronisation. `transport`, `plan` and `copies` outlive it. `copies` (null: there
/// are none) is started by the caller and moved along in all waiting; the plan is what machine::wire_plan() leaves.
[[nodiscard]] std::unique_ptr<Execution> make_execution(const Transport& transport, const Plan& plan,
                                                        const ExchangeOptions& options, LocalCopies* copies = nullptr);

/// Where there are copies, moves them along.
[[nodiscard]] inline int advance_copies(LocalCopies* copies, int& progress) {
    return copies == nullptr ? MPI_SUCCESS : copies->advance(progress);
}

}  // namespace aapc::mpi
