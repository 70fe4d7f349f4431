/* All-to-alls whose every byte says from which call, rank and place it is, and is checked. */
#ifndef AAPC_TESTS_INTERPOSER_CHECKED_H
#define AAPC_TESTS_INTERPOSER_CHECKED_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

/* Of a block. */
static int bytes;

static unsigned char byte_of(int call, int from, int to, int place) {
    return (unsigned char)(call * 131 + from * 31 + to * 17 + place * 7 + (place >> 8));
}

/* Unequal blocks have a half or all of the bytes. */
static int length_of(int unequal, int from, int to) { return unequal && (from + to) % 2 ? bytes / 2 : bytes; }

/* Of up to 64 ranks. A wrong byte ends the job. */
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
                fprintf(stderr, "call %d: byte %d from rank %d to %d is wrong\n", call, place, other, rank);
                MPI_Abort(MPI_COMM_WORLD, 1);
            }
        }
    }
    free(send);
    free(receive);
}

#endif
