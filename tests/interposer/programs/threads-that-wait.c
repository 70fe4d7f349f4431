/* threads-that-wait ITERATIONS BYTES: four threads of each rank exchange by MPI_Ialltoall and MPI_Wait, each on a
   communicator of its own. Where a rank that waits keeps a core busy, aapc's threads, which carry out the exchanges, do
   not get one: 100 iterations under MPICH took six times as long as without aapc. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { lanes = 4 };
static int iterations;
static int bytes;
static int ranks;
static int rank;

typedef struct {
    MPI_Comm comm;
    int number;
} Lane;

static unsigned char expected(const Lane* lane, int iteration, int from, int to, int place) {
    return (unsigned char)(lane->number * 59 + iteration * 131 + from * 31 + to * 17 + place * 7);
}

static void* exchange(void* argument) {
    const Lane* const lane = argument;
    unsigned char* const sent = malloc((size_t)bytes * (size_t)ranks);
    unsigned char* const received = malloc((size_t)bytes * (size_t)ranks);
    for (int iteration = 0; iteration < iterations; ++iteration) {
        for (int at = 0; at < bytes * ranks; ++at) sent[at] = expected(lane, iteration, rank, at / bytes, at % bytes);
        MPI_Request request;
        MPI_Ialltoall(sent, bytes, MPI_BYTE, received, bytes, MPI_BYTE, lane->comm, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        for (int at = 0; at < bytes * ranks; ++at) {
            if (received[at] != expected(lane, iteration, at / bytes, rank, at % bytes)) {
                fprintf(stderr, "lane %d, iteration %d: byte %d is wrong\n", lane->number, iteration, at);
                MPI_Abort(MPI_COMM_WORLD, 1);
            }
        }
    }
    free(sent);
    free(received);
    return NULL;
}

int main(int argc, char** argv) {
    int provided = MPI_THREAD_SINGLE;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (argc != 3 || provided != MPI_THREAD_MULTIPLE) MPI_Abort(MPI_COMM_WORLD, 2);
    iterations = atoi(argv[1]);
    bytes = atoi(argv[2]);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    Lane lane[lanes];
    pthread_t thread[lanes];
    for (int number = 0; number < lanes; ++number) {
        lane[number].number = number;
        MPI_Comm_dup(MPI_COMM_WORLD, &lane[number].comm);
    }
    const double begun = MPI_Wtime();
    for (int number = 0; number < lanes; ++number) pthread_create(&thread[number], NULL, exchange, &lane[number]);
    for (int number = 0; number < lanes; ++number) pthread_join(thread[number], NULL);
    if (rank == 0) printf("%.2f s\n", MPI_Wtime() - begun);
    for (int number = 0; number < lanes; ++number) MPI_Comm_free(&lane[number].comm);
    MPI_Finalize();
    return 0;
}
