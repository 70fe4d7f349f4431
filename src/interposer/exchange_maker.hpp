/// @file
/// Makes the exchanges of one communicator, and owns what they share.
#pragma once

#include <mpi.h>

#include <memory>
#include <optional>
#include <utility>

#include "aapc/methods/method.hpp"
#include "aapc/methods/timetables.hpp"
#include "aapc/mpi/exchange.hpp"
#include "aapc/mpi/machine_memory.hpp"
#include "aapc/mpi/wire.hpp"
#include "aapc/topology/placement.hpp"
#include "selection/settings.hpp"

namespace aapc::interposer {

/// Used by one thread at a time. Outlives its exchanges.
class ExchangeMaker {
  public:
    /// Of ranks that sit as `placement` says. The timetables are those of the placement, and an exchange's is freed
    /// once that is made. All references outlive this. Throws std::bad_alloc.
    ExchangeMaker(const selection::Configuration& configuration, const Placement& placement, Timetables timetables);

    [[nodiscard]] Timetables& timetables() { return timetables_; }

    /// Collective over `comm`; null on all ranks or on none, and rank 0 says why.
    [[nodiscard]] std::unique_ptr<mpi::Exchange> make(MPI_Comm comm, const Method& method);
    /// What the ranks of each machine share, made at the first use: collective over `comm` then. Null on all ranks or
    /// on none.
    [[nodiscard]] mpi::MachineMemory* machine_memory(MPI_Comm comm);

    [[nodiscard]] const mpi::Wire& wire() const { return wire_; }
    /// For exchanges of these ranks; nullopt if messages are to travel by MPI. Collective over `comm`; the same on all
    /// ranks.
    [[nodiscard]] std::optional<mpi::OwnWire> own_wire(MPI_Comm comm);
    /// Reports once per process that messages travel by MPI's connections although AAPC_WIRE=tcp, or could have gone
    /// by others and AAPC_VERBOSE asks; for rank 0.
    void say_why_not_by_wire() const;

    /// Closes connections while MPI can still free communicators; the exchanges are gone.
    /// `at_once`: nothing is on its way, and ports are not to be left in use.
    void close(bool at_once) { at_once ? wire_.close_at_once() : wire_.close(); }

    /// Of connections to come.
    void expect(mpi::Wire::Kept kept) { wire_.expect(std::move(kept)); }

  private:
    const selection::Configuration* configuration_;
    const Placement* placement_;
    Timetables timetables_;
    bool shares_machines_;  ///< some machine has two of the ranks; to find out takes memory
    bool machine_memory_tried_ = false;
    std::unique_ptr<mpi::MachineMemory> machine_memory_;
    bool mpi_uses_tcp_ = false;  ///< once it was seen to
    mpi::Wire wire_;             ///< no connection unless AAPC_WIRE asks for it
};

}  // namespace aapc::interposer
