/// @file
/// Collectives that leave the processors to the other ranks. A test has more ranks than there are processors, and an
/// MPI that spins in its collectives would take most of the time.
#pragma once

#include <mpi.h>
#include <unistd.h>

namespace aapc::test {

inline void wait_resting(MPI_Request request) {
    int complete = 0;
    while (MPI_Test(&request, &complete, MPI_STATUS_IGNORE) == MPI_SUCCESS && complete == 0) {
        usleep(50);
    }
}

inline void meet(MPI_Comm communicator) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibarrier(communicator, &request);
    wait_resting(request);
}

/// Every element becomes the smallest or greatest of all ranks.
inline void combine(void* values, std::size_t count, MPI_Datatype type, MPI_Op operation, MPI_Comm communicator) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Iallreduce(MPI_IN_PLACE, values, static_cast<int>(count), type, operation, communicator, &request);
    wait_resting(request);
}

}  // namespace aapc::test
