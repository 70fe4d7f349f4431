/* memory-that-grows MOST [immediate]: 6,000 all-to-alls of all sizes, equal and unequal, on communicators that come and
   go. Fails if a rank has more than MOST bytes of heap in use at the end beyond those that it had after 3,000 calls. */
#include <malloc.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { calls = 6000, calls_per_communicator = 50, largest = 1 << 14, ranks_at_most = 16 };

static long in_use(void) {
    const struct mallinfo2 info = mallinfo2();
    return (long)(info.uordblks + info.hblkhd);
}

int main(int argc, char** argv) {
    int provided = 0;
    int rank = 0;
    int ranks = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const long most = atol(argv[1]);
    const int immediate = argc > 2;
    char* const sent = calloc((size_t)ranks, largest);
    char* const received = calloc((size_t)ranks, largest);
    MPI_Comm comm = MPI_COMM_NULL;
    unsigned random = 1;
    long before = 0;
    for (int call = 0; call < calls; ++call) {
        if (call == calls / 2) before = in_use();
        if (call % calls_per_communicator == 0) {
            if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
            MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        }
        random = random * 1103515245U + 12345U;
        const int bytes = 8 << (random >> 16) % 12;
        int counts[ranks_at_most];
        int places[ranks_at_most];
        for (int other = 0; other < ranks; ++other) {
            counts[other] = bytes;
            places[other] = other * bytes;
        }
        MPI_Request request = MPI_REQUEST_NULL;
        if (immediate && call % 2 == 0) {
            MPI_Ialltoall(sent, bytes, MPI_BYTE, received, bytes, MPI_BYTE, comm, &request);
        } else if (immediate) {
            MPI_Ialltoallv(sent, counts, places, MPI_BYTE, received, counts, places, MPI_BYTE, comm, &request);
        } else if (call % 2 == 0) {
            MPI_Alltoall(sent, bytes, MPI_BYTE, received, bytes, MPI_BYTE, comm);
        } else {
            MPI_Alltoallv(sent, counts, places, MPI_BYTE, received, counts, places, MPI_BYTE, comm);
        }
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    const long grown = in_use() - before;
    if (rank == 0) printf("%ld bytes more in use after another %d calls\n", grown, calls / 2);
    if (grown > most) {
        fprintf(stderr, "rank %d: %ld bytes more in use after another %d calls\n", rank, grown, calls / 2);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Comm_free(&comm);
    free(sent);
    free(received);
    MPI_Finalize();
    return 0;
}
