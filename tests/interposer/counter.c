/* A profiling tool as small as one can be: a library that counts a rank's calls of MPI_Alltoall, MPI_Alltoallv,
 * MPI_Alltoallw and their non-blocking forms. It wraps the MPI_ names and calls the PMPI_ names, as such tools do. The
 * count is printed when the process ends, so that it does not depend on who wraps MPI_Finalize. */
#include <mpi.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_long calls;

__attribute__((destructor)) static void print_count(void) {
    fprintf(stderr, "counter: %ld calls\n", atomic_load(&calls));
}

int MPI_Alltoall(const void* send, int send_count, MPI_Datatype send_type, void* receive, int receive_count,
                 MPI_Datatype receive_type, MPI_Comm comm) {
    ++calls;
    return PMPI_Alltoall(send, send_count, send_type, receive, receive_count, receive_type, comm);
}

int MPI_Alltoallv(const void* send, const int* send_counts, const int* send_offsets, MPI_Datatype send_type,
                  void* receive, const int* receive_counts, const int* receive_offsets, MPI_Datatype receive_type,
                  MPI_Comm comm) {
    ++calls;
    return PMPI_Alltoallv(send, send_counts, send_offsets, send_type, receive, receive_counts, receive_offsets,
                          receive_type, comm);
}

int MPI_Alltoallw(const void* send, const int* send_counts, const int* send_offsets, const MPI_Datatype* send_types,
                  void* receive, const int* receive_counts, const int* receive_offsets,
                  const MPI_Datatype* receive_types, MPI_Comm comm) {
    ++calls;
    return PMPI_Alltoallw(send, send_counts, send_offsets, send_types, receive, receive_counts, receive_offsets,
                          receive_types, comm);
}

int MPI_Ialltoall(const void* send, int send_count, MPI_Datatype send_type, void* receive, int receive_count,
                  MPI_Datatype receive_type, MPI_Comm comm, MPI_Request* request) {
    ++calls;
    return PMPI_Ialltoall(send, send_count, send_type, receive, receive_count, receive_type, comm, request);
}

int MPI_Ialltoallv(const void* send, const int* send_counts, const int* send_offsets, MPI_Datatype send_type,
                   void* receive, const int* receive_counts, const int* receive_offsets, MPI_Datatype receive_type,
                   MPI_Comm comm, MPI_Request* request) {
    ++calls;
    return PMPI_Ialltoallv(send, send_counts, send_offsets, send_type, receive, receive_counts, receive_offsets,
                           receive_type, comm, request);
}

int MPI_Ialltoallw(const void* send, const int* send_counts, const int* send_offsets, const MPI_Datatype* send_types,
                   void* receive, const int* receive_counts, const int* receive_offsets,
                   const MPI_Datatype* receive_types, MPI_Comm comm, MPI_Request* request) {
    ++calls;
    return PMPI_Ialltoallw(send, send_counts, send_offsets, send_types, receive, receive_counts, receive_offsets,
                           receive_types, comm, request);
}
