/* What the two halves of the Open MPI component coll/aapc know of each other: the half in C (coll_aapc.c), which alone
 * includes Open MPI's own headers, and the half in C++ (entry.cpp), which leads to everything behind the call. */
#ifndef AAPC_COLL_AAPC_H
#define AAPC_COLL_AAPC_H

#include <mpi.h>

/* Parameters of all-to-alls. Counts and places are arrays of int or, where `wide` is not 0, of 64 bits: MPI_Count and
 * MPI_Aint. */
#define AAPC_COLL_EQUAL                                                                                  \
    const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, \
        MPI_Datatype recvtype, MPI_Comm comm
#define AAPC_COLL_UNEQUAL                                                                                    \
    int wide, const void *sendbuf, const void *sent, const void *from, MPI_Datatype sendtype, void *recvbuf, \
        const void *received, const void *to, MPI_Datatype recvtype, MPI_Comm comm
#define AAPC_COLL_TYPED                                                                                             \
    int wide, const void *sendbuf, const void *sent, const void *from, const MPI_Datatype *sendtype, void *recvbuf, \
        const void *received, const void *to, const MPI_Datatype *recvtype, MPI_Comm comm

#ifdef __cplusplus
extern "C" {
#endif

/* In C++: a call of the program's, which has passed Open MPI's look at its arguments. An MPI error code that nobody has
 * raised yet. */
int aapc_coll_alltoall(AAPC_COLL_EQUAL);
int aapc_coll_alltoallv(AAPC_COLL_UNEQUAL);
int aapc_coll_alltoallw(AAPC_COLL_TYPED);
int aapc_coll_ialltoall(AAPC_COLL_EQUAL, MPI_Request* request);
int aapc_coll_ialltoallv(AAPC_COLL_UNEQUAL, MPI_Request* request);
int aapc_coll_ialltoallw(AAPC_COLL_TYPED, MPI_Request* request);
int aapc_coll_alltoall_init(AAPC_COLL_EQUAL, MPI_Info info, MPI_Request* request);
int aapc_coll_alltoallv_init(AAPC_COLL_UNEQUAL, MPI_Info info, MPI_Request* request);
int aapc_coll_alltoallw_init(AAPC_COLL_TYPED, MPI_Info info, MPI_Request* request);

/* In C: the routine of the module below ours on that communicator, which has a module of ours. */
int aapc_below_alltoall(AAPC_COLL_EQUAL);
int aapc_below_alltoallv(AAPC_COLL_UNEQUAL);
int aapc_below_alltoallw(AAPC_COLL_TYPED);
int aapc_below_ialltoall(AAPC_COLL_EQUAL, MPI_Request* request);
int aapc_below_ialltoallv(AAPC_COLL_UNEQUAL, MPI_Request* request);
int aapc_below_ialltoallw(AAPC_COLL_TYPED, MPI_Request* request);
int aapc_below_alltoall_init(AAPC_COLL_EQUAL, MPI_Info info, MPI_Request* request);
int aapc_below_alltoallv_init(AAPC_COLL_UNEQUAL, MPI_Info info, MPI_Request* request);
int aapc_below_alltoallw_init(AAPC_COLL_TYPED, MPI_Info info, MPI_Request* request);

/* In C: a request of ours, persistent or under way, which keeps its communicator; null if there is no memory. */
MPI_Request aapc_make_request(MPI_Comm comm, int persistent);
/* It is complete, with that error code. Any thread. */
void aapc_complete_request(MPI_Request request, int error);
/* In C++: MPI_Start has started those, and MPI_Request_free frees that one. All are persistent ones of ours. */
void aapc_coll_started(int count, MPI_Request* requests);
void aapc_coll_freed(MPI_Request request);

/* In C++: MPI_Init is through, and MPI_Finalize begins; all of MPI works. */
void aapc_coll_begin(void);
void aapc_coll_end(void);
/* What preloading has put into this process answers its calls already. */
int aapc_coll_is_preloaded(void);
/* Says so, on rank 0 and if AAPC_VERBOSE asks for it. */
void aapc_coll_say_preloaded(void);

/* The settings: the name of number `index` without AAPC_, in lower case, written to `name`, and what it means; 0 behind
 * the last one. */
enum { aapc_coll_longest_name = 64, aapc_coll_longest_meaning = 256 };
int aapc_coll_setting(int index, char name[aapc_coll_longest_name], char meaning[aapc_coll_longest_meaning]);
/* Takes `value` for that setting, unless the environment has one. */
void aapc_coll_set(int index, const char* value);
/* The value that the environment has; null if it has none. */
const char* aapc_coll_environment(int index);

#ifdef __cplusplus
}
#endif

#endif
