#include "aapc/mpi/make_exchange.hpp"

#include <array>
#include <cstdlib>
#include <sstream>
#include <string>
#include <utility>

#include "mpi/agreement.hpp"
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

std::string text_of_error(int error) {
    std::array<char, MPI_MAX_ERROR_STRING> text{};
    int length = 0;
    PMPI_Error_string(error, text.data(), &length);
    return {text.data(), static_cast<std::size_t>(length)};
}

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

}  // namespace

Expected<std::unique_ptr<Exchange>> make_exchange(MPI_Comm comm, const Expected<Prepared>& prepared,
                                                  const Placement& placement, MachineMemory* memory) {
    const ReturnedErrors returned(comm);
    Plan plan;
    Diagnostic without_plan{.problem = no_memory};
    const Diagnostic* mine = prepared ? nullptr : &prepared.error();
    if (prepared && !have_memory_for([&] { plan = plan_from(comm, *prepared, placement); })) {
        mine = &without_plan;
        static_cast<void>(have_memory_for(
            [&] { without_plan = said_of(prepared->method, {.problem = "a rank has no memory left for its plan"}); }));
    }
    if (auto first = first_complaint(comm, mine)) {
        return failure(std::move(*first));
    }
    // Known to all ranks alike.
    if (uses_tickets(plan.synchronisation) && (memory == nullptr || memory->available() == SharedMemory::nothing)) {
        Diagnostic without_tickets{.problem = no_memory};
        static_cast<void>(have_memory_for([&] {
            without_tickets =
                said_of(prepared->method, {.problem = "the ranks of a machine share no memory for its tickets",
                                           .advice = "let AAPC_SHARED_MEMORY be 1, or choose another synchronisation"});
        }));
        return failure(std::move(without_tickets));
    }
    ExchangeOptions options;
    options.cadence = prepared->cadence;
    options.machine_memory = memory;
    static_cast<void>(have_memory_for([&] { options.clock_fault = fault_of_clock(rank_in(comm)); }));
    std::unique_ptr<Exchange> exchange;
    const int error = Exchange::create(comm, std::move(plan), options, exchange);
    Diagnostic complaint{.problem = no_memory};
    if (error != MPI_SUCCESS && error != MPI_ERR_NO_MEM) {
        static_cast<void>(have_memory_for([&] {
            complaint.problem = "MPI gives no further communicator to exchange messages on: " + text_of_error(error);
        }));
    }
    if (auto first = first_complaint(comm, error == MPI_SUCCESS ? nullptr : &complaint)) {
        return failure(std::move(*first));
    }
    return exchange;
}

}  // namespace aapc::mpi
