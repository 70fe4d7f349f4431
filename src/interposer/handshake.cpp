#include "interposer/handshake.hpp"

#include <mpi.h>

#include <algorithm>
#include <cstdlib>

#include "interposer/remarks.hpp"
#include "mpi/ranks.hpp"
#include "mpi/rest.hpp"

namespace aapc::interposer {

namespace {

/// MPI_Init leaves ranks behind it within moments, so this is long. AAPC_TEST_HANDSHAKE_SECONDS is for tests.
double patience_seconds() {
    constexpr double usual = 60;
    const char* const text = std::getenv("AAPC_TEST_HANDSHAKE_SECONDS");
    return text == nullptr ? usual : std::strtod(text, nullptr);
}

/// Waits for the request, but not for longer than that. A clock that jumps, and a process that was stopped, must not
/// end a job: between two looks at it no more than a moment has passed.
bool is_complete_within(double seconds, MPI_Request& request) {
    constexpr double moment = 0.05;
    double waited = 0;
    double last = mpi::now_seconds();
    mpi::Patience patience;
    int complete = 0;
    while (PMPI_Test(&request, &complete, MPI_STATUS_IGNORE) == MPI_SUCCESS && complete == 0) {
        const double now = mpi::now_seconds();
        waited += std::clamp(now - last, 0.0, moment);
        last = now;
        if (waited > seconds) {
            return false;
        }
        patience.rest();
    }
    return true;
}

/// Whether the rank before this one waits, too, and is left to speak. Nobody minds these messages: the job ends.
bool another_speaks() {
    constexpr int tag = 26214;
    const int rank = mpi::rank_in(MPI_COMM_WORLD);
    MPI_Request to_next = MPI_REQUEST_NULL;
    MPI_Request from_previous = MPI_REQUEST_NULL;
    if (rank + 1 < mpi::ranks_in(MPI_COMM_WORLD)) {
        PMPI_Isend(nullptr, 0, MPI_BYTE, rank + 1, tag, MPI_COMM_WORLD, &to_next);
    }
    if (rank == 0) {
        return false;
    }
    PMPI_Irecv(nullptr, 0, MPI_BYTE, rank - 1, tag, MPI_COMM_WORLD, &from_previous);
    return is_complete_within(1, from_previous);
}

}  // namespace

std::uint64_t largest_of_all(std::uint64_t mine) {
    std::uint64_t largest = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    PMPI_Iallreduce(&mine, &largest, 1, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD, &request);
    const double patience = patience_seconds();
    while (!is_complete_within(patience, request)) {
        if (!another_speaks()) {
            say("not all ranks of MPI_COMM_WORLD have this library in them; preload it on all of them or on none "
                "(mpirun -x LD_PRELOAD, or 'aapc exec' in front of every program); ending the job");
            // Launchers drop what they have not passed on when the job ends.
            constexpr double time_to_be_heard = 0.5;
            mpi::rest_until(mpi::now_seconds() + time_to_be_heard, time_to_be_heard);
            PMPI_Abort(MPI_COMM_WORLD, 1);
        }
    }
    return largest;
}

}  // namespace aapc::interposer
