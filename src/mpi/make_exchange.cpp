#include "aapc/mpi/make_exchange.hpp"

#include <cstdlib>
#include <sstream>
#include <string>
#include <utility>

#include "mpi/agreed_creation.hpp"
#include "mpi/agreement.hpp"
#include "mpi/have_memory.hpp"
#include "mpi/ranks.hpp"
#include "mpi/returned_errors.hpp"

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

}  // namespace

Expected<std::unique_ptr<Exchange>> make_exchange(MPI_Comm comm, const Expected<Prepared>& prepared,
                                                  const Placement& placement, MachineMemory* memory) {
    const ReturnedErrors returned(comm);
    Plan plan;
    if (auto first = agree_on_plan(comm, prepared, placement, plan)) {
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
    if (auto first = first_complaint_of_mpi(comm, error)) {
        return failure(std::move(*first));
    }
    return exchange;
}

}  // namespace aapc::mpi
