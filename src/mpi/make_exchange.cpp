#include "aapc/mpi/make_exchange.hpp"

#include <array>
#include <cstdlib>
#include <new>
#include <optional>
#include <sstream>
#include <string>
#include <utility>

#include "mpi/agreement.hpp"
#include "mpi/ranks.hpp"
#include "mpi/returned_errors.hpp"

namespace aapc::mpi {

namespace {

/// Fills in this rank's plan or says why there is none.
std::optional<Diagnostic> plan_from(MPI_Comm comm, const Expected<Prepared>& prepared, const Placement& placement,
                                    Plan& plan) {
    if (!prepared) {
        return prepared.error();
    }
    // A rank by itself keeps time with nobody, so it needs no speed.
    const Synchronisation synchronisation =
        placement.participants() < 2 ? Synchronisation::none : prepared->method.synchronisation;
    try {
        plan = make_plan(*prepared->timetable, placement, rank_in(comm), synchronisation);
    } catch (const std::bad_alloc&) {
        return said_of(prepared->method, {.problem = "a rank has no memory left for its plan"});
    }
    return std::nullopt;
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
    if (auto first = first_complaint(comm, plan_from(comm, prepared, placement, plan))) {
        return failure(std::move(*first));
    }
    // Known to all ranks alike.
    if (uses_tickets(plan.synchronisation) && (memory == nullptr || memory->available() == SharedMemory::nothing)) {
        return failure(
            said_of(prepared->method, {.problem = "the ranks of a machine share no memory for its tickets",
                                       .advice = "let AAPC_SHARED_MEMORY be 1, or choose another synchronisation"}));
    }
    ExchangeOptions options;
    options.cadence = prepared->cadence;
    options.machine_memory = memory;
    options.clock_fault = fault_of_clock(rank_in(comm));
    std::unique_ptr<Exchange> exchange;
    std::optional<Diagnostic> complaint;
    if (const int error = Exchange::create(comm, std::move(plan), options, exchange); error != MPI_SUCCESS) {
        complaint =
            Diagnostic{.problem = "MPI gives no further communicator to exchange messages on: " + text_of_error(error)};
    }
    if (auto first = first_complaint(comm, complaint)) {
        return failure(std::move(*first));
    }
    return exchange;
}

}  // namespace aapc::mpi
