// The symbols that the program, its Fortran bindings and its tools find before the MPI's own: the MPI_ names, which C
// programs call, and the PMPI_ names, which Open MPI's Fortran bindings and tools that wrap the MPI_ names call. A call
// comes by here once, whichever way it takes.
#include <mpi.h>

#include "aapc/interposer.h"
#include "interposer/call.hpp"
#include "interposer/communicator.hpp"
#include "interposer/job.hpp"
#include "interposer/real.hpp"

namespace aapc::interposer {

namespace {

int initialise(int* argc, char*** argv) {
    const int error = real().init(argc, argv);
    if (error == MPI_SUCCESS) {
        Job::start();
    }
    return error;
}

int initialise_thread(int* argc, char*** argv, int required, int* provided) {
    const int error = real().init_thread(argc, argv, required, provided);
    if (error == MPI_SUCCESS) {
        Job::start();
    }
    return error;
}

int alltoall(const void* send, int send_count, MPI_Datatype send_type, void* receive, int receive_count,
             MPI_Datatype receive_type, MPI_Comm comm) {
    Job* const job = Job::current();
    if (job != nullptr) {
        Call call{send, send_count, send_type, receive, receive_count, receive_type, comm};
        read_arguments(call);
        if (call.well_formed()) {
            if (CommunicatorState* const state = CommunicatorState::of(comm, *job)) {
                if (mpi::Exchange* const exchange = state->exchange_for(call, job->refusals())) {
                    job->count_exchanged();
                    return state->run(*exchange, call);
                }
            }
        }
        job->count_passed_through();
    }
    // As they came: they have never left their registers.
    return real().alltoall(send, send_count, send_type, receive, receive_count, receive_type, comm);
}

}  // namespace

}  // namespace aapc::interposer

#define AAPC_INTERPOSED extern "C" __attribute__((visibility("default")))

// Parameters are named as in the MPI standard's C bindings, of which these are definitions.

AAPC_INTERPOSED int MPI_Init(int* argc, char*** argv) { return aapc::interposer::initialise(argc, argv); }
AAPC_INTERPOSED int PMPI_Init(int* argc, char*** argv) { return aapc::interposer::initialise(argc, argv); }

AAPC_INTERPOSED int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
    return aapc::interposer::initialise_thread(argc, argv, required, provided);
}
AAPC_INTERPOSED int PMPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
    return aapc::interposer::initialise_thread(argc, argv, required, provided);
}

AAPC_INTERPOSED int MPI_Alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                                 int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
    return aapc::interposer::alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
}
AAPC_INTERPOSED int PMPI_Alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                                  int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
    return aapc::interposer::alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
}

AAPC_INTERPOSED int aapc_native_alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                                         int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
    return aapc::interposer::real().alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
}

AAPC_INTERPOSED void aapc_calls(long* exchanged, long* passed_through) {
    const aapc::interposer::Job* const job = aapc::interposer::Job::current();
    *exchanged = job == nullptr ? -1 : job->exchanged();
    *passed_through = job == nullptr ? -1 : job->passed_through();
}

AAPC_INTERPOSED const char* aapc_rejected(void) { return aapc::interposer::rejected_settings(); }
