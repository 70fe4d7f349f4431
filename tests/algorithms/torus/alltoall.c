/* An MPI program that knows nothing of aapc: MPI_Alltoall on all ranks with blocks of several sizes, every byte
 * checked. At the end it says for the test's driver how many of all ranks' calls an interposer should have taken over:
 * those with blocks of at least SMALLEST_BLOCK bytes, and at most LARGEST_BLOCK.
 *
 *     alltoall SMALLEST_BLOCK [LARGEST_BLOCK]
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static unsigned char payload(long from, long to, long offset, long call) {
    unsigned long value = (unsigned long)(((from * 1009 + to) * 1013 + offset) * 31 + call);
    return (unsigned char)(value * 0x9e3779b97f4a7c15UL >> 56);
}

int main(int argc, char** argv) {
    static const int sizes[] = {1, 64, 4096, 10000, 333};
    const long calls = sizeof sizes / sizeof *sizes;
    const long smallest_block = argc > 1 ? atol(argv[1]) : 1;
    const long largest_block = argc > 2 ? atol(argv[2]) : 1L << 30;
    MPI_Init(&argc, &argv);
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    long exchanged = 0;
    for (long call = 0; call < calls; ++call) {
        const int bytes = sizes[call];
        unsigned char* const send = malloc((size_t)bytes * (size_t)ranks);
        unsigned char* const receive = calloc((size_t)bytes, (size_t)ranks);
        for (long place = 0; place < (long)bytes * ranks; ++place) {
            send[place] = payload(rank, place / bytes, place % bytes, call);
        }
        MPI_Alltoall(send, bytes, MPI_BYTE, receive, bytes, MPI_BYTE, MPI_COMM_WORLD);
        for (long place = 0; place < (long)bytes * ranks; ++place) {
            if (receive[place] != payload(place / bytes, rank, place % bytes, call)) {
                fprintf(stderr, "rank %d: %d bytes: wrong data from %ld\n", rank, bytes, place / bytes);
                MPI_Abort(MPI_COMM_WORLD, 1);
            }
        }
        free(send);
        free(receive);
        exchanged += bytes >= smallest_block && bytes <= largest_block;
    }
    MPI_Finalize();
    if (rank == 0) printf("%ld calls exchanged, %ld passed through\n", exchanged * ranks, (calls - exchanged) * ranks);
    return 0;
}
