/* What the first all-to-all of a communicator takes, blocking and persistent:
 *
 *     mpirun -n 4 -x AAPC_ASYNC_PROGRESS=1 aapc exec --topology FILE -- persistent_start [BYTES [ROUNDS]]
 *
 * In each of ROUNDS (15) one communicator has one MPI_Alltoall with blocks of BYTES (8192), and another one an
 * MPI_Alltoall_init, a pause as of a program that computes, and MPI_Start with MPI_Wait. Both begin behind a barrier.
 * Then each has the same once more, which sets nothing up. Rank 0 prints medians in microseconds. */
#define _GNU_SOURCE /* usleep */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "median.h"

enum { most_rounds = 1000, pause_microseconds = 200000 };

/* The time of one of them. */
static double microseconds(MPI_Comm comm, const char* send, char* receive, int bytes, MPI_Request* request) {
    MPI_Barrier(comm);
    const double start = MPI_Wtime();
    if (request == NULL) {
        MPI_Alltoall(send, bytes, MPI_CHAR, receive, bytes, MPI_CHAR, comm);
    } else {
        MPI_Start(request);
        MPI_Wait(request, MPI_STATUS_IGNORE);
    }
    return (MPI_Wtime() - start) * 1e6;
}

int main(int argc, char** argv) {
    static double blocking[2][most_rounds];
    static double persistent[2][most_rounds];
    static double inits[most_rounds];
    MPI_Init(&argc, &argv);
    const int bytes = argc > 1 ? atoi(argv[1]) : 8192;
    const int rounds = argc > 2 ? atoi(argv[2]) : 15;
    int rank = 0;
    int ranks = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (bytes < 1 || rounds < 1 || rounds > most_rounds) MPI_Abort(MPI_COMM_WORLD, 2);
    char* const send = calloc((size_t)ranks, (size_t)bytes);
    char* const receive = calloc((size_t)ranks, (size_t)bytes);
    for (int round = 0; round < rounds; ++round) {
        MPI_Comm comm = MPI_COMM_NULL;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        for (int time = 0; time < 2; ++time) blocking[time][round] = microseconds(comm, send, receive, bytes, NULL);
        MPI_Comm_free(&comm);

        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        const double start = MPI_Wtime();
        MPI_Alltoall_init(send, bytes, MPI_CHAR, receive, bytes, MPI_CHAR, comm, MPI_INFO_NULL, &request);
        inits[round] = (MPI_Wtime() - start) * 1e6;
        usleep(pause_microseconds);
        for (int time = 0; time < 2; ++time) {
            persistent[time][round] = microseconds(comm, send, receive, bytes, &request);
        }
        MPI_Request_free(&request);
        MPI_Comm_free(&comm);
    }
    if (rank == 0) {
        printf(
            "%d ranks, %d bytes: MPI_Alltoall %.0f us, then %.0f us; "
            "MPI_Alltoall_init %.0f us, its first start %.0f us, then %.0f us\n",
            ranks, bytes, median(blocking[0], rounds), median(blocking[1], rounds), median(inits, rounds),
            median(persistent[0], rounds), median(persistent[1], rounds));
    }
    free(send);
    free(receive);
    MPI_Finalize();
    return 0;
}
