/* Preloaded into a measurement that must find out: damages one byte on its way from rank 2 to rank 1, at offset 5 of
 * the block. AAPC_TEST_DAMAGE says where: "alltoall" in what the MPI's own routine has received, "send" in the first
 * larger message that is sent from rank to rank. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#define EXPORTED __attribute__((visibility("default")))

enum { from_rank = 2, to_rank = 1, at_offset = 5 };

static int damages(const char* where) {
    const char* wanted = getenv("AAPC_TEST_DAMAGE");
    return wanted != NULL && strcmp(wanted, where) == 0;
}

static int rank_in(MPI_Comm comm) {
    int rank = -1;
    PMPI_Comm_rank(comm, &rank);
    return rank;
}

EXPORTED int PMPI_Alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                           MPI_Datatype recvtype, MPI_Comm comm) {
    int (*real)(const void*, int, MPI_Datatype, void*, int, MPI_Datatype, MPI_Comm) = dlsym(RTLD_NEXT, "PMPI_Alltoall");
    const int error = real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
    if (damages("alltoall") && rank_in(comm) == to_rank) {
        ((unsigned char*)recvbuf)[(size_t)from_rank * (size_t)recvcount + at_offset] ^= 1;
    }
    return error;
}

EXPORTED int PMPI_Isend(const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
                        MPI_Request* request) {
    int (*real)(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*) = dlsym(RTLD_NEXT, "PMPI_Isend");
    static int done = 0;
    if (!done && damages("send") && count >= 100 && dest == to_rank && rank_in(comm) == from_rank) {
        done = 1;
        ((unsigned char*)buf)[at_offset] ^= 1;
    }
    return real(buf, count, type, dest, tag, comm, request);
}
