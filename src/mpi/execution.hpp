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
#include "aapc/plan.hpp"
#include "mpi/transport.hpp"

namespace aapc::mpi {

/// The buffers of one call.
struct Blocks {
    const std::byte* send;
    std::byte* receive;
    std::size_t bytes;  ///< in one block, > 0

    [[nodiscard]] const std::byte* for_rank(Rank to) const { return send + static_cast<std::size_t>(to) * bytes; }
    [[nodiscard]] std::byte* from_rank(Rank from) const { return receive + static_cast<std::size_t>(from) * bytes; }
};

/// One way of carrying out a plan. Moves everything but a rank's block to itself.
class Execution {
  public:
    Execution() = default;
    Execution(const Execution&) = delete;
    Execution& operator=(const Execution&) = delete;
    virtual ~Execution() = default;

    /// Collective. Returns the first error code of an MPI call. Throws std::bad_alloc.
    [[nodiscard]] virtual int run(const Blocks& blocks) = 0;
    [[nodiscard]] const ExchangeReport& report() const { return report_; }

  protected:
    ExchangeReport report_;
};

/// The way that suits the plan's synchronisation. `transport` and `plan` outlive it.
[[nodiscard]] std::unique_ptr<Execution> make_execution(const Transport& transport, const Plan& plan,
                                                        const ExchangeOptions& options);

}  // namespace aapc::mpi
