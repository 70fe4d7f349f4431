/* A program whose ranks are a grid of two columns, and exchange within columns:
 *
 *     siblings all|one CALLS BYTES
 *
 *     all    both columns exchange, in calls of equal blocks and of unequal ones in turns, on the columns and on a
 *            duplicate of each
 *     one    only the first column does
 *
 * Every byte is checked. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int bytes;

static unsigned char byte_of(int call, int from, int to, int place) {
    return (unsigned char)(call * 131 + from * 31 + to * 17 + place * 7 + (place >> 8));
}

/* Unequal blocks have a half or all of the bytes. */
static int length_of(int unequal, int from, int to) { return unequal && (from + to) % 2 ? bytes / 2 : bytes; }

static void exchange(MPI_Comm comm, int call, int unequal) {
    int rank = 0;
    int ranks = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    unsigned char* const send = malloc((size_t)bytes * (size_t)ranks);
    unsigned char* const receive = malloc((size_t)bytes * (size_t)ranks);
    int sent[64];
    int received[64];
    int places[64];
    for (int other = 0; other < ranks; ++other) {
        sent[other] = length_of(unequal, rank, other);
        received[other] = length_of(unequal, other, rank);
        places[other] = other * bytes;
        for (int place = 0; place < sent[other]; ++place) {
            send[places[other] + place] = byte_of(call, rank, other, place);
        }
    }
    if (unequal) {
        MPI_Alltoallv(send, sent, places, MPI_BYTE, receive, received, places, MPI_BYTE, comm);
    } else {
        MPI_Alltoall(send, bytes, MPI_BYTE, receive, bytes, MPI_BYTE, comm);
    }
    for (int other = 0; other < ranks; ++other) {
        for (int place = 0; place < received[other]; ++place) {
            if (receive[places[other] + place] != byte_of(call, other, rank, place)) {
                fprintf(stderr, "siblings: call %d: byte %d from rank %d to %d is wrong\n", call, place, other, rank);
                MPI_Abort(MPI_COMM_WORLD, 1);
            }
        }
    }
    free(send);
    free(receive);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    if (argc != 4) MPI_Abort(MPI_COMM_WORLD, 2);
    const int all = strcmp(argv[1], "all") == 0;
    const int calls = atoi(argv[2]);
    bytes = atoi(argv[3]);
    int ranks = 0;
    int rank = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int sides[2] = {ranks / 2, 2};
    const int rings[2] = {0, 0};
    const int along[2] = {1, 0};
    MPI_Comm grid = MPI_COMM_NULL;
    MPI_Comm column = MPI_COMM_NULL;
    MPI_Cart_create(MPI_COMM_WORLD, 2, sides, rings, 0, &grid);
    MPI_Cart_sub(grid, along, &column);
    MPI_Comm again = MPI_COMM_NULL;
    MPI_Comm_dup(column, &again);
    if (all || rank % 2 == 0) {
        for (int call = 0; call < calls; ++call) {
            exchange(call < calls / 2 ? column : again, call, call % 4 == 3);
        }
    }
    MPI_Comm_free(&again);
    MPI_Comm_free(&column);
    MPI_Comm_free(&grid);
    MPI_Finalize();
    return 0;
}
