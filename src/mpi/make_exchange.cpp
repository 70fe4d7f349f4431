#include "aapc/mpi/make_exchange.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <utility>

#include "mpi/agreed_creation.hpp"
#include "mpi/complaints.hpp"
#include "mpi/have_memory.hpp"
#include "mpi/ranks.hpp"
#include "mpi/returned_errors.hpp"
#include "plan/intranode/depot_plan.hpp"
#include "timetable/shares_memory.hpp"

namespace aapc::mpi {

namespace {

/// What AAPC_TEST_CLOCK makes of this rank's clock (docs/lattice.md): a hook for tests. Anything but four numbers is
/// none.
ClockFault fault_of_clock(int rank) {
    const char* const text = std::getenv("AAPC_TEST_CLOCK");
    std::istringstream words(text == nullptr ? "" : text);
    int of_rank = -1;
    char colon = ' ';
    ClockFault fault;
    const bool said = static_cast<bool>(words >> of_rank >> colon >> fault.shift_seconds >> colon >> fault.skew >>
                                        colon >> fault.after_seconds);
    return said && of_rank == rank ? fault : ClockFault{};
}

/// Whether what the ranks of a machine have for each other, and for others, goes through memory that they share. The
/// same on all ranks. Throws std::bad_alloc.
bool goes_through_depot(const Prepared& prepared, const Placement& placement) {
    return dynamic_cast<const SharesMemory*>(prepared.timetable.get()) != nullptr &&
           prepared.method.synchronisation.kind == Synchronisation::Kind::window && some_machine_is_shared(placement);
}

/// What is missing of memory that ranks share; nothing: nothing. The same on all ranks.
std::optional<Diagnostic> lacks_memory(const Method& method, const char* what, const char* advice,
                                       const MachineMemory* memory) {
    if (memory != nullptr && memory->available() != SharedMemory::nothing) {
        return std::nullopt;
    }
    Diagnostic diagnostic{.problem = no_memory};
    static_cast<void>(have_memory_for([&] {
        diagnostic =
            said_of(method, {.problem = std::string("the ranks of a machine share no memory for ") + what,
                             .advice = std::string("let AAPC_SHARED_MEMORY be 1, or choose another ") + advice});
    }));
    return diagnostic;
}

}  // namespace

Expected<std::unique_ptr<Exchange>> make_exchange(MPI_Comm comm, const Expected<Prepared>& prepared,
                                                  const Placement& placement, MachineMemory* memory,
                                                  std::optional<std::int64_t> most_bytes,
                                                  std::optional<OwnWire> own_wire) {
    const ReturnedErrors returned(comm);
    ExchangeOptions options;
    const Expected<Prepared> unprepared = failure({.problem = no_memory});
    const bool known =
        !prepared || have_memory_for([&] { options.through_depot = goes_through_depot(*prepared, placement); });
    Plan plan;
    if (auto first = agree_on_plan(comm, known ? prepared : unprepared, placement, plan)) {
        return failure(std::move(*first));
    }
    if (uses_tickets(plan.synchronisation) || options.through_depot) {
        const auto [what, advice] = options.through_depot ? std::pair("what they put together", "algorithm")
                                                          : std::pair("its tickets", "synchronisation");
        if (auto lack = lacks_memory(prepared->method, what, advice, memory)) {
            return failure(std::move(*lack));
        }
    }
    bool learns_paths = false;
    if (own_wire && !options.through_depot) {
        const auto wire = open_wire(comm, plan, placement, *own_wire);
        if (!wire) {
            return failure(wire.error());
        }
        options.wire = *wire;
        learns_paths = *wire != nullptr && (*wire)->connections() > 1;
    }
    if (most_bytes) {
        options.depot_bytes_a_rank = std::min(options.depot_bytes_a_rank, static_cast<std::size_t>(*most_bytes));
    }
    if (options.through_depot) {
        static_cast<void>(have_memory_for([&] {
            options.depot = std::make_shared<const machine::DepotPlan>(
                machine::make_depot_plan(*prepared->timetable, placement, rank_in(comm)));
        }));
    }
    options.cadence = learns_paths ? with_learned_paths(prepared->cadence) : prepared->cadence;
    options.machine_memory = memory;
    static_cast<void>(have_memory_for([&] { options.clock_fault = fault_of_clock(rank_in(comm)); }));
    std::unique_ptr<Exchange> exchange;
    const int error = Exchange::create(comm, std::move(plan), options, exchange);
    if (auto first = first_complaint_of_mpi(comm, error)) {
        return failure(std::move(*first));
    }
    return exchange;
}

}  // namespace aapc::mpi
