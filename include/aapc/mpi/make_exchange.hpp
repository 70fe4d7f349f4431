/// @file
/// From a prepared method to its exchange, on all ranks or on none.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <optional>

#include "aapc/input/diagnostic.hpp"
#include "aapc/methods/preparation.hpp"
#include "aapc/mpi/exchange.hpp"
#include "aapc/mpi/machine_memory.hpp"
#include "aapc/mpi/wire.hpp"
#include "aapc/topology/network.hpp"
#include "aapc/topology/placement.hpp"

namespace aapc::mpi {

/// Collective over `comm`, whose ranks sit as `placement` says. `prepared` is the same method on all ranks, or why
/// there is none, which may be so on some ranks only (one has no memory left). `memory` is of the same ranks and
/// outlives the exchange; null on all ranks or on none. Where ranks share memory for their blocks, it is not more than
/// `most_bytes` for each of them. Returns an exchange on all ranks or the same diagnostic on all
/// of them: what the lowest rank has to complain of. Errors of MPI are returned while this lasts, whatever the
/// communicator's error handler is.
/// With `own_wire`, on all ranks or on none, blocks travel by the wire. If that cannot be opened, they travel by MPI on
/// all ranks, and the wire has a complaint.
[[nodiscard]] Expected<std::unique_ptr<Exchange>> make_exchange(MPI_Comm comm, const Expected<Prepared>& prepared,
                                                                const Placement& placement, MachineMemory* memory,
                                                                std::optional<std::int64_t> most_bytes = std::nullopt,
                                                                std::optional<OwnWire> own_wire = std::nullopt);

}  // namespace aapc::mpi
