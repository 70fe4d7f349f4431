/// @file
/// What may be in the way while an exchange is made, known to all ranks or to none.
#pragma once

#include <mpi.h>

#include <optional>

#include "aapc/input/diagnostic.hpp"
#include "aapc/methods/preparation.hpp"
#include "aapc/mpi/wire.hpp"
#include "aapc/plan/plan.hpp"
#include "aapc/topology/placement.hpp"

namespace aapc::mpi {

/// Fills in this rank's plan, or says on all ranks why one has none. Collective.
[[nodiscard]] std::optional<Diagnostic> agree_on_plan(MPI_Comm comm, const Expected<Prepared>& prepared,
                                                      const Placement& placement, Plan& plan);

/// What MPI complained of on the lowest rank where `error` is not MPI_SUCCESS, on all ranks; nothing where all are
/// content. MPI_ERR_NO_MEM is a rank without memory. Collective.
[[nodiscard]] std::optional<Diagnostic> first_complaint_of_mpi(MPI_Comm comm, int error);

/// Opens the wire for the messages of a plan, on all ranks or on none: null then, and they travel by MPI. A diagnostic,
/// the same on all ranks, where MPI fails. Collective.
[[nodiscard]] Expected<Wire*> open_wire(MPI_Comm comm, const Plan& plan, const Placement& placement,
                                        const OwnWire& own_wire);

}  // namespace aapc::mpi
