// The symbols that the program, its Fortran bindings and its tools find before the MPI's own: the MPI_ names, which C
// programs call, and the PMPI_ names, which Open MPI's Fortran bindings and tools that wrap the MPI_ names call. A call
// comes by here once, whichever way it takes. Routines with handles among their arguments have their names in
// forwarding.cpp, and those that are only counted their entries in neighbours.cpp.
#include <mpi.h>

#include "interposer/background.hpp"
#include "interposer/carry_out.hpp"
#include "interposer/job.hpp"
#include "interposer/real.hpp"
#include "interposer/symbols.hpp"
#include "interposer/this_mpi.hpp"

namespace aapc::interposer {

namespace {

/// Threads of ours are to call MPI beside the program's one. An MPI with other handles may number the levels otherwise.
bool raises_thread_level() { return !has_other_handles() && asks_for_threads(); }

int initialise(int* argc, char*** argv) {
    int provided = MPI_THREAD_SINGLE;
    const int error = raises_thread_level() ? real().init_thread(argc, argv, MPI_THREAD_MULTIPLE, &provided)
                                            : real().init(argc, argv);
    if (error == MPI_SUCCESS) {
        Job::start();
    }
    return error;
}

int initialise_thread(int* argc, char*** argv, int required, int* provided) {
    const int error = real().init_thread(argc, argv, raises_thread_level() ? MPI_THREAD_MULTIPLE : required, provided);
    if (error == MPI_SUCCESS) {
        Job::start();
    }
    return error;
}

int free_communicator(int (*real_routine)(MPI_Comm*), MPI_Comm* comm) {
    Job* const job = Job::current();
    if (job != nullptr && comm != nullptr && *comm != MPI_COMM_NULL) {
        job->before_freeing(*comm);
    }
    return real_routine(comm);
}

}  // namespace

}  // namespace aapc::interposer

// Parameters are named as in the MPI standard's C bindings, of which these are definitions.

AAPC_INTERPOSED int MPI_Init(int* argc, char*** argv) { return aapc::interposer::initialise(argc, argv); }
AAPC_ALSO_AS_PMPI(Init)

AAPC_INTERPOSED int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
    return aapc::interposer::initialise_thread(argc, argv, required, provided);
}
AAPC_ALSO_AS_PMPI(Init_thread)

AAPC_ENTRY(Comm_free)
int aapc_entry_Comm_free(MPI_Comm* comm) {
    return aapc::interposer::free_communicator(aapc::interposer::real().comm_free, comm);
}

AAPC_ENTRY(Comm_disconnect)
int aapc_entry_Comm_disconnect(MPI_Comm* comm) {
    return aapc::interposer::free_communicator(aapc::interposer::real().comm_disconnect, comm);
}

AAPC_ENTRY(Alltoall)
int aapc_entry_Alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                        MPI_Datatype recvtype, MPI_Comm comm) {
    namespace ours = aapc::interposer;
    return ours::alltoall<ours::Routine::Alltoall>(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
}

#if AAPC_MPI_HAS_LARGE_COUNTS
AAPC_ENTRY(Alltoall_c)
int aapc_entry_Alltoall_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                          MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
    namespace ours = aapc::interposer;
    return ours::alltoall<ours::Routine::Alltoall_c>(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
}
#endif
