/* A program whose calls show which all-to-all is the fastest:
 *
 *     learning [unequal] [phases] CALLS BYTES [BYTES...]    so many calls, with blocks of these sizes in turn
 *
 * phases: on each communicator all calls of the first size come first, then those of the second one, and so on.
 * Every byte is checked, one rank after the other comes late, and half of the calls are those of a communicator of its
 * own. Prints the seconds that the calls took. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank;
static int ranks;
static int unequal;
static unsigned char* expected; /* room for a block */

/* Of a block. */
static int length_of(int bytes, int from, int to) {
    return unequal ? bytes / 2 + (from * 2 + to) % 3 * (bytes / 4) : bytes;
}

static void write_block(unsigned char* block, int length, int call, int from, int to) {
    const int first = call * 131 + from * 31 + to * 17;
    for (int place = 0; place < length; ++place) block[place] = (unsigned char)(first + place * 7 + (place >> 8));
}

static double exchange(int call, int bytes, MPI_Comm comm, unsigned char* send, unsigned char* receive) {
    for (int to = 0; to < ranks; ++to) {
        const int length = length_of(bytes, rank, to);
        write_block(send + to * bytes, length, call, rank, to);
    }
    if (call % 8 == 0 && call / 8 % ranks == rank) usleep(3000);
    const double before = MPI_Wtime();
    if (unequal) {
        int sent[64];
        int received[64];
        int places[64];
        for (int other = 0; other < ranks; ++other) {
            sent[other] = length_of(bytes, rank, other);
            received[other] = length_of(bytes, other, rank);
            places[other] = other * bytes;
        }
        MPI_Alltoallv(send, sent, places, MPI_BYTE, receive, received, places, MPI_BYTE, comm);
    } else {
        MPI_Alltoall(send, bytes, MPI_BYTE, receive, bytes, MPI_BYTE, comm);
    }
    const double seconds = MPI_Wtime() - before;
    for (int from = 0; from < ranks; ++from) {
        const int length = length_of(bytes, from, rank);
        write_block(expected, length, call, from, rank);
        if (memcmp(receive + from * bytes, expected, (size_t)length) != 0) {
            fprintf(stderr, "learning: call %d: bytes from rank %d to %d are wrong\n", call, from, rank);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    }
    return seconds;
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    unequal = strcmp(argv[1], "unequal") == 0;
    argc -= unequal;
    argv += unequal;
    const int phases = strcmp(argv[1], "phases") == 0;
    argc -= phases;
    argv += phases;
    const int calls = atoi(argv[1]);
    int most = 1;
    for (int one = 2; one < argc; ++one) most = atoi(argv[one]) > most ? atoi(argv[one]) : most;
    unsigned char* const send = malloc((size_t)most * (size_t)ranks);
    unsigned char* const receive = malloc((size_t)most * (size_t)ranks);
    expected = malloc((size_t)most);
    MPI_Comm other = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    double seconds = 0;
    for (int call = 0; call < calls; ++call) {
        const int sizes = argc - 2;
        const int half = (calls + 1) / 2;
        const int size = phases ? call % half * sizes / half : call % sizes;
        seconds += exchange(call, atoi(argv[2 + size]), call < calls / 2 ? MPI_COMM_WORLD : other, send, receive);
    }
    if (rank == 0) printf("%.6f\n", seconds);
    MPI_Comm_free(&other);
    free(send);
    free(receive);
    free(expected);
    MPI_Finalize();
    return 0;
}
