/* What record.py looks at: an all-to-all on the world and one on each half of it, unequal messages, and many short
 * calls on one rank alone, of which it prints the nanoseconds that each took; with a third word also unequal messages
 * of known lengths, on at most 8 ranks. record CALLS BLOCK_BYTES [UNIT] */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void exchange(MPI_Comm comm, int bytes) {
    int ranks = 0;
    MPI_Comm_size(comm, &ranks);
    char* const send = calloc((size_t)ranks, (size_t)bytes);
    char* const receive = malloc((size_t)ranks * (size_t)bytes);
    MPI_Alltoall(send, bytes, MPI_BYTE, receive, bytes, MPI_BYTE, comm);
    free(send);
    free(receive);
}

static void exchange_unequal(int ranks, int bytes) {
    int counts[64] = {0};
    int places[64] = {0};
    for (int i = 0; i < ranks; ++i) {
        counts[i] = bytes;
        places[i] = i * bytes;
    }
    char* const send = calloc((size_t)ranks, (size_t)bytes);
    char* const receive = malloc((size_t)ranks * (size_t)bytes);
    MPI_Alltoallv(send, counts, places, MPI_BYTE, receive, counts, places, MPI_BYTE, MPI_COMM_WORLD);
    free(send);
    free(receive);
}

/* On two communicators of the same ranks, of which one is called three times: rank r sends s the (10 r + s + 1)-fold of
 * `unit` bytes, and nothing from an odd rank to rank 0. The second of three times and on the other communicator it is
 * thrice as much, and there by a datatype for each message. */
static int length(int from, int to) { return from % 2 == 1 && to == 0 ? 0 : 10 * from + to + 1; }

static void exchange_lengths(MPI_Comm comm, int unit, int typed) {
    int rank = 0;
    int ranks = 0;
    int sent[8] = {0};
    int received[8] = {0};
    int from[8] = {0};
    int to[8] = {0};
    MPI_Datatype types[8];
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    for (int i = 0; i < ranks; ++i) {
        sent[i] = length(rank, i) * (typed ? unit / 4 : unit);
        received[i] = length(i, rank) * (typed ? unit / 4 : unit);
        types[i] = MPI_INT;
        from[i] = i > 0 ? from[i - 1] + length(rank, i - 1) * unit : 0;
        to[i] = i > 0 ? to[i - 1] + length(i - 1, rank) * unit : 0;
    }
    char* const send = calloc(100 * 8, (size_t)unit);
    char* const receive = malloc((size_t)100 * 8 * (size_t)unit);
    if (typed) {
        MPI_Alltoallw(send, sent, from, types, receive, received, to, types, comm);
    } else {
        MPI_Alltoallv(send, sent, from, MPI_BYTE, receive, received, to, MPI_BYTE, comm);
    }
    free(send);
    free(receive);
}

static void exchange_known_lengths(int unit) {
    MPI_Comm twins[2];
    for (int i = 0; i < 2; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &twins[i]);
    exchange_lengths(twins[0], unit, 0);
    exchange_lengths(twins[1], 3 * unit, 1);
    exchange_lengths(twins[0], 3 * unit, 0);
    exchange_lengths(twins[0], unit, 0);
    for (int i = 0; i < 2; ++i) MPI_Comm_free(&twins[i]);
}

int main(int argc, char** argv) {
    const int calls = argc > 1 ? atoi(argv[1]) : 1;
    const int bytes = argc > 2 ? atoi(argv[2]) : 1;
    int rank = 0;
    int ranks = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks > 64) MPI_Abort(MPI_COMM_WORLD, 2);
    for (int i = 0; i < 4; ++i) exchange(MPI_COMM_WORLD, bytes);
    MPI_Comm half = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    exchange(half, bytes);
    exchange_unequal(ranks, bytes);
    if (argc > 3) exchange_known_lengths(atoi(argv[3]));
    char one[2] = {0, 0};
    if (rank == 0) {
        double least = 1;
        for (int round = 0; round < 5; ++round) {
            const double begin = MPI_Wtime();
            for (int i = 0; i < calls / 5; ++i) MPI_Alltoall(one, 1, MPI_BYTE, one + 1, 1, MPI_BYTE, MPI_COMM_SELF);
            const double seconds = (MPI_Wtime() - begin) / (calls / 5);
            if (calls >= 5 && seconds < least) least = seconds;
        }
        printf("%.1f ns a call\n", 1e9 * least);
    }
    MPI_Comm_free(&half);
    MPI_Finalize();
    return 0;
}
