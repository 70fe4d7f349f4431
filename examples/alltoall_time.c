/* An ordinary MPI program: times its all-to-alls and checks what it got. It knows nothing of aapc.
 *
 *     alltoall_time [CALLS [BYTES ...]]
 *     alltoall_time --turns FILE          calls when it is told to: FILE, a FIFO, has a line "CALLS BYTES" for each
 * turn
 *
 * Prints one line per call on rank 0: message size in bytes, then seconds (of the slowest rank). In turns, two of these
 * programs can share a network without ever using it at the same time; lab/compare --in-turns does that. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A value that names its source, its destination and its place in the message. */
static unsigned value_at(int source, int destination, int place) {
    return (unsigned)source * 2654435761u ^ (unsigned)destination * 2246822519u ^ (unsigned)place * 3266489917u;
}

/* `calls` all-to-alls after `warm_up` that are not printed. Returns whether any byte was wrong. */
static int exchange(int size, int calls, int warm_up) {
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int count = size / (int)sizeof(unsigned);
    unsigned* send = malloc(sizeof *send * (size_t)count * (size_t)ranks + 1);
    unsigned* receive = malloc(sizeof *receive * (size_t)count * (size_t)ranks + 1);
    int wrong = 0;
    for (int destination = 0; destination < ranks; ++destination) {
        for (int place = 0; place < count; ++place) {
            send[(size_t)destination * (size_t)count + (size_t)place] = value_at(rank, destination, place);
        }
    }
    for (int call = -warm_up; call < calls; ++call) {
        MPI_Barrier(MPI_COMM_WORLD);
        double start = MPI_Wtime();
        MPI_Alltoall(send, count, MPI_UNSIGNED, receive, count, MPI_UNSIGNED, MPI_COMM_WORLD);
        double seconds = MPI_Wtime() - start;
        double slowest = 0;
        MPI_Reduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
        for (int source = 0; source < ranks; ++source) {
            for (int place = 0; place < count; ++place) {
                wrong |= receive[(size_t)source * (size_t)count + (size_t)place] != value_at(source, rank, place);
            }
        }
        if (rank == 0 && call >= 0) {
            printf("%d %.6f\n", count * (int)sizeof(unsigned), slowest);
            fflush(stdout);
        }
    }
    free(send);
    free(receive);
    return wrong;
}

/* Hands the next turn, which rank 0 has read, to all ranks. They sleep until it comes: a rank that waits inside MPI
 * keeps a core busy, which another program may need for its turn. */
static void share_turn(int* turn) {
    static const struct timespec pause = {0, 20000000};
    MPI_Request request;
    int done = 0;
    MPI_Ibcast(turn, 2, MPI_INT, 0, MPI_COMM_WORLD, &request);
    for (;;) {
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        if (done) {
            return;
        }
        nanosleep(&pause, NULL);
    }
}

static int exchange_in_turns(const char* path) {
    int rank, wrong = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    FILE* file = rank == 0 ? fopen(path, "r") : NULL; /* waits for the one who writes */
    for (;;) {
        int turn[2] = {0, 0}; /* calls and bytes; the end where there are none */
        if (rank == 0 && (file == NULL || fscanf(file, "%d %d", &turn[0], &turn[1]) != 2)) {
            turn[0] = turn[1] = 0;
        }
        share_turn(turn);
        if (turn[0] <= 0 || turn[1] <= 0) {
            break;
        }
        wrong |= exchange(turn[1], turn[0], 0);
    }
    if (file != NULL) {
        fclose(file);
    }
    return wrong;
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int wrong = 0;
    if (argc > 2 && strcmp(argv[1], "--turns") == 0) {
        wrong = exchange_in_turns(argv[2]);
    } else {
        static const int usual[] = {8192, 32768, 131072};
        int calls = argc > 1 ? atoi(argv[1]) : 3;
        int sizes = argc > 2 ? argc - 2 : (int)(sizeof usual / sizeof *usual);
        for (int index = 0; index < sizes; ++index) {
            wrong |= exchange(argc > 2 ? atoi(argv[index + 2]) : usual[index], calls, 1);
        }
    }
    if (wrong) {
        fprintf(stderr, "wrong data\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Finalize();
    return 0;
}
