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
/** The MPI's own MPI_Alltoall, whatever the interposer would do with the call. Counted nowhere. */
int aapc_native_alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                         MPI_Datatype recvtype, MPI_Comm comm);
/** The same of MPI_Alltoallv. */
int aapc_native_alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
                          void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
                          MPI_Comm comm);
#endif

/**
 * How many calls of MPI_Alltoall and its kin (docs/interposer.md, "What is counted") this process has made since
 * MPI_Init that the interposer exchanged itself, and how many it passed through to the MPI's own routine. Both are -1
 * where the interposer is there but was told nothing (or nothing that it could follow) and counts nothing.
 */
void aapc_calls(long* exchanged, long* passed_through);

/**
 * What rank 0's interposer said at MPI_Init of settings that it does not follow: a topology or a tuning file that is
 * wrong or for something else, an unknown name. NULL where it follows all of them, and on the other ranks. The text is
 * there until the process ends.
 */
const char* aapc_rejected(void);

#ifdef __cplusplus
}
#endif
