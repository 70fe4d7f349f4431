/* What a call of MPI_Alltoall that goes to the MPI's own routine costs once learning has settled, to be compared with
 * the same under AAPC_ADAPT=0 (docs/learning.md):
 *
 *     mpirun -n 4 aapc exec --topology FILE -- settled_calls [BYTES [ROUNDS]]
 *
 * 200 ordinary calls with blocks of BYTES (131072) show what is the fastest, which has to be the MPI's own. Then that
 * does nothing and takes no time, and rank 0 prints the nanoseconds a call, the median over ROUNDS (501) of 100 calls.
 * Calls that the interposer measures now and then, after which the ranks agree, are in few rounds and not in the
 * median. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "median.h"

extern int alltoall_is_free;

enum { teaching = 200, calls = 100 };

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    const int bytes = argc > 1 ? atoi(argv[1]) : 131072;
    const int rounds = argc > 2 ? atoi(argv[2]) : 501;
    int rank = 0;
    int ranks = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (bytes < 1 || rounds < 1) MPI_Abort(MPI_COMM_WORLD, 2);
    char* const send = calloc((size_t)ranks, (size_t)bytes);
    char* const receive = calloc((size_t)ranks, (size_t)bytes);
    double* const nanoseconds = malloc(sizeof(double) * (size_t)rounds);
    for (int call = 0; call < teaching; ++call)
        MPI_Alltoall(send, bytes, MPI_CHAR, receive, bytes, MPI_CHAR, MPI_COMM_WORLD);
    alltoall_is_free = 1;
    for (int round = 0; round < rounds; ++round) {
        const double start = MPI_Wtime();
        for (int call = 0; call < calls; ++call)
            MPI_Alltoall(send, bytes, MPI_CHAR, receive, bytes, MPI_CHAR, MPI_COMM_WORLD);
        nanoseconds[round] = (MPI_Wtime() - start) / calls * 1e9;
    }
    if (rank == 0) printf("%d ranks, %d bytes: %.1f ns a call\n", ranks, bytes, median(nanoseconds, rounds));
    free(send);
    free(receive);
    free(nanoseconds);
    MPI_Finalize();
    return 0;
}
