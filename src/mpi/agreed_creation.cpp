#include "mpi/agreed_creation.hpp"

#include <string>
#include <utility>

#include "mpi/complaints.hpp"
#include "mpi/have_memory.hpp"
#include "mpi/ranks.hpp"
#include "mpi/returned_errors.hpp"

namespace aapc::mpi {

namespace {

/// This rank's plan. Throws std::bad_alloc.
Plan plan_from(MPI_Comm comm, const Prepared& prepared, const Placement& placement) {
    // A rank by itself keeps time with nobody, so it needs no speed.
    const Synchronisation synchronisation =
        placement.participants() < 2 ? Synchronisation::none : prepared.method.synchronisation;
    return make_plan(*prepared.timetable, placement, rank_in(comm), synchronisation);
}

}  // namespace

std::optional<Diagnostic> agree_on_plan(MPI_Comm comm, const Expected<Prepared>& prepared, const Placement& placement,
                                        Plan& plan) {
    Diagnostic without_plan{.problem = no_memory};
    const Diagnostic* mine = prepared ? nullptr : &prepared.error();
    if (prepared && !have_memory_for([&] { plan = plan_from(comm, *prepared, placement); })) {
        mine = &without_plan;
        static_cast<void>(have_memory_for(
            [&] { without_plan = said_of(prepared->method, {.problem = "a rank has no memory left for its plan"}); }));
    }
    return first_complaint(comm, mine);
}

std::optional<Diagnostic> first_complaint_of_mpi(MPI_Comm comm, int error) {
    Diagnostic complaint{.problem = no_memory};
    if (error != MPI_SUCCESS && error != MPI_ERR_NO_MEM) {
        static_cast<void>(have_memory_for([&] {
            complaint.problem = "MPI gives no further communicator to exchange messages on: " + text_of_error(error);
        }));
    }
    return first_complaint(comm, error == MPI_SUCCESS ? nullptr : &complaint);
}

Expected<Wire*> open_wire(MPI_Comm comm, const Plan& plan, const Placement& placement, const OwnWire& own_wire) {
    std::optional<Wire::Peers> peers;
    static_cast<void>(have_memory_for([&] { peers = Wire::peers_of(plan, own_wire.network, placement); }));
    bool opened = false;
    const int error = own_wire.wire.open(comm, peers ? &*peers : nullptr, opened);
    if (auto first = first_complaint_of_mpi(comm, error)) {
        return failure(std::move(*first));
    }
    return opened ? &own_wire.wire : nullptr;
}

}  // namespace aapc::mpi
