// What programs may ask of the interposer or the component that they find in their process (aapc/interposer.h).
#include "aapc/interposer.h"
#include "interposer/job.hpp"
#include "interposer/native.hpp"
#include "interposer/remarks.hpp"
#include "interposer/symbols.hpp"

AAPC_INTERPOSED int aapc_native_alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                                         int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
    return aapc::interposer::native().alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
}

AAPC_INTERPOSED int aapc_native_alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[],
                                          MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                                          const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm) {
    return aapc::interposer::native().alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls,
                                                recvtype, comm);
}

AAPC_INTERPOSED void aapc_calls(long* exchanged, long* passed_through) {
    aapc::interposer::Job* const job = aapc::interposer::Job::current();
    if (job == nullptr) {
        *exchanged = -1;
        *passed_through = -1;
        return;
    }
    const aapc::interposer::CallCounts counts = call_counts(job->tally().totals());
    *exchanged = counts.exchanged;
    *passed_through = counts.passed_through;
}

AAPC_INTERPOSED const char* aapc_rejected(void) { return aapc::interposer::rejected_settings(); }
