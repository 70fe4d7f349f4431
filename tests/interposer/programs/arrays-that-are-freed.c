/* MPI_Ialltoallv, MPI_Ialltoallw and their persistent forms, whose arrays of counts and displacements are overwritten
 * as soon as the call has returned. So does mpi4py 4 where the MPI has no large-count forms: MPIs keep copies. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most_ranks = 16, calls = 10 };

static int rank, ranks, sent[most_ranks * most_ranks], received[most_ranks * most_ranks];

/* Rank r sends t + 1 numbers to rank t, all of them 100 r + t. */
static void begin(int typed, int persistent, MPI_Request* request) {
    int* const arrays = malloc(sizeof(int) * 4 * (size_t)ranks);
    int *const counts = arrays, *const from = counts + ranks, *const receive_counts = from + ranks,
               *const to = receive_counts + ranks;
    const int unit = typed ? (int)sizeof(int) : 1;
    MPI_Datatype types[most_ranks];
    for (int peer = 0; peer < ranks; ++peer) {
        counts[peer] = peer + 1;
        from[peer] = to[peer] = peer * most_ranks * unit;
        receive_counts[peer] = rank + 1;
        types[peer] = MPI_INT;
        for (int i = 0; i < most_ranks; ++i) {
            sent[peer * most_ranks + i] = 100 * rank + peer;
            received[peer * most_ranks + i] = -1;
        }
    }
    if (persistent) {
#if AAPC_MPI_HAS_PERSISTENT
        if (typed) {
            MPI_Alltoallw_init(sent, counts, from, types, received, receive_counts, to, types, MPI_COMM_WORLD,
                               MPI_INFO_NULL, request);
        } else {
            MPI_Alltoallv_init(sent, counts, from, MPI_INT, received, receive_counts, to, MPI_INT, MPI_COMM_WORLD,
                               MPI_INFO_NULL, request);
        }
#endif
    } else if (typed) {
        MPI_Ialltoallw(sent, counts, from, types, received, receive_counts, to, types, MPI_COMM_WORLD, request);
    } else {
        MPI_Ialltoallv(sent, counts, from, MPI_INT, received, receive_counts, to, MPI_INT, MPI_COMM_WORLD, request);
    }
    memset(arrays, 0x55, sizeof(int) * 4 * (size_t)ranks);
    free(arrays);
    if (persistent) {
        MPI_Start(request);
    }
}

static void check(void) {
    for (int peer = 0; peer < ranks; ++peer) {
        for (int i = 0; i < most_ranks; ++i) {
            const int wanted = i <= rank ? 100 * peer + rank : -1;
            if (received[peer * most_ranks + i] != wanted) {
                fprintf(stderr, "rank %d has %d from %d, not %d\n", rank, received[peer * most_ranks + i], peer,
                        wanted);
                MPI_Abort(MPI_COMM_WORLD, 1);
            }
        }
    }
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int call = 0; call < calls; ++call) {
        for (int persistent = 0; persistent <= AAPC_MPI_HAS_PERSISTENT; ++persistent) {
            MPI_Request request = MPI_REQUEST_NULL;
            begin(call % 2, persistent, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            check();
            if (persistent) {
                MPI_Request_free(&request);
            }
        }
    }
    MPI_Finalize();
    return 0;
}
