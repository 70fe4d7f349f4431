/* Shows when a generated MPI_Alltoall starts its sends: one exchange, in which every send is held up for a while of its
 * own, then a line `FROM TO BYTES SECONDS` for every send that is not a token, in the order of each rank.
 *
 * usage: trace BYTES LONGEST_DELAY_IN_MICROSECONDS */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MOST_SENDS 4096

struct send {
    double seconds; /* on a clock that all ranks share, since they share the machine */
    int to;
    int bytes;
};

static struct send sends[MOST_SENDS];
static int number_of_sends;
static int tracing;
static long longest_delay;
static unsigned random_state;

int MPI_Isend(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request) {
    if (tracing && count > 0 && number_of_sends < MOST_SENDS) {
        struct timespec now;
        struct timespec delay = {0, 0};
        int size = 0;

        random_state = random_state * 1664525u + 1013904223u;
        if (longest_delay > 0) {
            delay.tv_nsec = (long)(random_state >> 8) % longest_delay * 1000;
            nanosleep(&delay, NULL);
        }
        PMPI_Type_size(type, &size);
        clock_gettime(CLOCK_MONOTONIC, &now);
        sends[number_of_sends].seconds = (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
        sends[number_of_sends].to = to;
        sends[number_of_sends].bytes = size * count;
        ++number_of_sends;
    }
    return PMPI_Isend(buffer, count, type, to, tag, comm, request);
}

int main(int argc, char** argv) {
    const int bytes = argc > 1 ? atoi(argv[1]) : 0;
    int rank, ranks;
    char *out, *in;

    longest_delay = argc > 2 ? atol(argv[2]) : 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    random_state = (unsigned)rank * 7919u;
    out = calloc((size_t)ranks, (size_t)bytes);
    in = calloc((size_t)ranks, (size_t)bytes);
    if (out == NULL || in == NULL) {
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    tracing = 1;
    MPI_Alltoall(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, MPI_COMM_WORLD);
    tracing = 0;
    for (int turn = 0; turn < ranks; ++turn) {
        if (rank == 0) {
            if (turn > 0) {
                MPI_Recv(&number_of_sends, 1, MPI_INT, turn, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                MPI_Recv(sends, (int)sizeof sends, MPI_BYTE, turn, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            }
            for (int i = 0; i < number_of_sends; ++i) {
                printf("%d %d %d %.9f\n", turn, sends[i].to, sends[i].bytes, sends[i].seconds);
            }
        } else if (rank == turn) {
            MPI_Send(&number_of_sends, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
            MPI_Send(sends, number_of_sends * (int)sizeof *sends, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
        }
    }
    free(out);
    free(in);
    MPI_Finalize();
    return 0;
}
