/**
 * @file
 * What a preloaded interposer (libaapc-<mpi>.so) or Open MPI's component says of itself to programs that ask, such as
 * benchmarks. An ordinary program needs none of it. Look the names up with dlsym(RTLD_DEFAULT, ...), the component's
 * after MPI_Init: without either they are not there.
 * Include an <mpi.h> first to have the declaration of the first one.
 */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

#ifdef MPI_VERSION
/** The native MPI_Alltoall, whatever the interposer would do with the call. Not counted. */
int aapc_native_alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                         MPI_Datatype recvtype, MPI_Comm comm);
/** The same for MPI_Alltoallv. */
int aapc_native_alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
                          void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
                          MPI_Comm comm);
#endif

/**
 * The number of calls of MPI_Alltoall and related routines (docs/interposer.md, "What is counted") since MPI_Init that
 * the interposer exchanged itself, and the number that it passed through to the native routine, in this process. Both
 * are -1 if the interposer is loaded without usable settings and counts no calls.
 */
void aapc_calls(long* exchanged, long* passed_through);

/**
 * The message of rank 0's interposer at MPI_Init about settings that it does not follow: a topology or a tuning file
 * that is wrong or for another job, an unknown name. NULL if it follows all of them, and on the other ranks. The text
 * is valid until the process ends.
 */
const char* aapc_rejected(void);

#ifdef __cplusplus
}
#endif
