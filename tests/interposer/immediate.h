/* With IMMEDIATE or PERSISTENT defined, a program's all-to-alls that block are such as do not, waited for at once: what
 * is tested of the former is so tested of the latter, and they must come to the same. Include it behind <mpi.h>. */
#pragma once

#include <mpi.h>

#if defined(IMMEDIATE)
#define AS_SUCH(NAME, IMMEDIATE_NAME, ...)                         \
    MPI_Request request = MPI_REQUEST_NULL;                        \
    const int error = MPI_##IMMEDIATE_NAME(__VA_ARGS__, &request); \
    return error == MPI_SUCCESS ? MPI_Wait(&request, MPI_STATUS_IGNORE) : error
#elif defined(PERSISTENT)
/* Open MPI 4 has these routines, and calls them so. */
#if AAPC_MPI_HAS_PERSISTENT
#define INIT(NAME) MPI_##NAME##_init
#else
#include <mpi-ext.h>
#define INIT(NAME) MPIX_##NAME##_init
#endif
#define AS_SUCH(NAME, IMMEDIATE_NAME, ...)                                   \
    MPI_Request request = MPI_REQUEST_NULL;                                  \
    int error = INIT(NAME)(__VA_ARGS__, MPI_INFO_NULL, &request);            \
    if (error != MPI_SUCCESS) return error;                                  \
    error = MPI_Start(&request);                                             \
    if (error == MPI_SUCCESS) error = MPI_Wait(&request, MPI_STATUS_IGNORE); \
    MPI_Request_free(&request);                                              \
    return error
#endif

#if defined(AS_SUCH)
enum { does_not_block = 1 };

__attribute__((unused)) static int alltoall_as_such(const void* send, int send_count, MPI_Datatype send_type,
                                                    void* receive, int receive_count, MPI_Datatype receive_type,
                                                    MPI_Comm comm) {
    AS_SUCH(Alltoall, Ialltoall, send, send_count, send_type, receive, receive_count, receive_type, comm);
}

__attribute__((unused)) static int alltoallv_as_such(const void* send, const int* send_counts, const int* from,
                                                     MPI_Datatype send_type, void* receive, const int* receive_counts,
                                                     const int* to, MPI_Datatype receive_type, MPI_Comm comm) {
    AS_SUCH(Alltoallv, Ialltoallv, send, send_counts, from, send_type, receive, receive_counts, to, receive_type, comm);
}

__attribute__((unused)) static int alltoallw_as_such(const void* send, const int* send_counts, const int* from,
                                                     const MPI_Datatype* send_types, void* receive,
                                                     const int* receive_counts, const int* to,
                                                     const MPI_Datatype* receive_types, MPI_Comm comm) {
    AS_SUCH(Alltoallw, Ialltoallw, send, send_counts, from, send_types, receive, receive_counts, to, receive_types,
            comm);
}

#define MPI_Alltoall alltoall_as_such
#define MPI_Alltoallv alltoallv_as_such
#define MPI_Alltoallw alltoallw_as_such
#else
enum { does_not_block = 0 };
#endif
