/* An ordinary MPI program: times its all-to-alls and checks what it got. It knows nothing of aapc.
 *
 *     alltoall_time [CALLS [BYTES ...]]
 *
 * Prints one line a call on rank 0: message size in bytes, then seconds (of the slowest rank). */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

/* A value that names its source, its destination and its place in the message. */
static unsigned value_at(int source, int destination, int place) {
    return (unsigned)source * 2654435761u ^ (unsigned)destination * 2246822519u ^ (unsigned)place * 3266489917u;
}

static int exchange(int size, int calls) {
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
    for (int call = -1; call < calls; ++call) { /* the first one warms up */
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

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    static const int usual[] = {8192, 32768, 131072};
    int calls = argc > 1 ? atoi(argv[1]) : 3;
    int sizes = argc > 2 ? argc - 2 : (int)(sizeof usual / sizeof *usual);
    int wrong = 0;
    for (int index = 0; index < sizes; ++index) {
        wrong |= exchange(argc > 2 ? atoi(argv[index + 2]) : usual[index], calls);
    }
    if (wrong) {
        fprintf(stderr, "wrong data\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Finalize();
    return 0;
}
