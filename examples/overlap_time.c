/* An ordinary MPI program that works while its all-to-alls are under way, and checks what it got. It knows nothing of
 * aapc.
 *
 *     overlap_time [CALLS [BYTES:MILLISECONDS ...]]
 *
 * Begins an MPI_Ialltoall, works for so many milliseconds without a look into MPI, and waits. Work is sleep here, since
 * on an emulated cluster all ranks share few cores: it stands for work on a core that nothing else wants. Prints one
 * line a call on rank 0: message size in bytes, then seconds from the beginning to the end of both, of the slowest
 * rank. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* A value that names its source, its destination and its place in the message. */
static unsigned value_at(int source, int destination, int place) {
    return (unsigned)source * 2654435761u ^ (unsigned)destination * 2246822519u ^ (unsigned)place * 3266489917u;
}

static void work(long milliseconds) {
    struct timespec left = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    while (nanosleep(&left, &left) != 0) {
    }
}

static int exchange(int size, long milliseconds, int calls) {
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int count = size / (int)sizeof(unsigned);
    unsigned* send = malloc(sizeof *send * (size_t)count * (size_t)ranks + 1);
    unsigned* receive = malloc(sizeof *receive * (size_t)count * (size_t)ranks + 1);
    int wrong = 0;
    for (int destination = 0; destination < ranks; ++destination) {
        for (int place = 0; place < count; ++place) {
            send[(size_t)destination * (size_t)count + (size_t)place] = value_at(rank, destination, place);
        }
    }
    for (int call = -1; call < calls; ++call) { /* the first one warms up */
        MPI_Request request;
        MPI_Barrier(MPI_COMM_WORLD);
        const double start = MPI_Wtime();
        MPI_Ialltoall(send, count, MPI_UNSIGNED, receive, count, MPI_UNSIGNED, MPI_COMM_WORLD, &request);
        work(milliseconds);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        const double seconds = MPI_Wtime() - start;
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

int main(int argc, char** argv) {
    static const char* const usual[] = {"8192:44", "32768:175", "131072:700"};
    MPI_Init(&argc, &argv);
    const int calls = argc > 1 ? atoi(argv[1]) : 3;
    const int sizes = argc > 2 ? argc - 2 : (int)(sizeof usual / sizeof *usual);
    int wrong = 0;
    for (int index = 0; index < sizes; ++index) {
        char* milliseconds = NULL;
        const long bytes = strtol(argc > 2 ? argv[index + 2] : usual[index], &milliseconds, 10);
        wrong |= exchange((int)bytes, *milliseconds == ':' ? strtol(milliseconds + 1, NULL, 10) : 0, calls);
    }
    if (wrong) {
        fprintf(stderr, "wrong data\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Finalize();
    return 0;
}
