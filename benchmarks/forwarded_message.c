/* What a message of blocks that do not lie together costs: copied together first (as the executor does it), or
 * described by a derived datatype and left to the MPI.
 *
 *     mpirun -n 2 forwarded_message [ROUNDS]
 *
 * Two ranks send it to and fro; the receiver takes it apart the same way. The two ways take turns. Rank 0 prints, for
 * each size of a block, how many times as long the datatype takes: the median of the ratios, round by round, and the
 * lowest and highest quarter. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "median.h"

/* As `torus --divisions 0` sends them: 16 blocks, of every fourth place. */
enum { blocks = 16, stride = 4, messages = 20 };

struct Way {
    MPI_Datatype scattered; /* MPI_DATATYPE_NULL: copy */
    char* places;
    char* together;
    int bytes; /* of a block */
};

static void send(const struct Way* way, int to) {
    if (way->scattered != MPI_DATATYPE_NULL) {
        MPI_Send(way->places, 1, way->scattered, to, 0, MPI_COMM_WORLD);
        return;
    }
    const size_t bytes = (size_t)way->bytes;
    for (size_t block = 0; block < blocks; ++block) {
        memcpy(way->together + block * bytes, way->places + block * stride * bytes, bytes);
    }
    MPI_Send(way->together, blocks * way->bytes, MPI_BYTE, to, 0, MPI_COMM_WORLD);
}

static void receive(const struct Way* way, int from) {
    if (way->scattered != MPI_DATATYPE_NULL) {
        MPI_Recv(way->places, 1, way->scattered, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        return;
    }
    const size_t bytes = (size_t)way->bytes;
    MPI_Recv(way->together, blocks * way->bytes, MPI_BYTE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (size_t block = 0; block < blocks; ++block) {
        memcpy(way->places + block * stride * bytes, way->together + block * bytes, bytes);
    }
}

static double seconds(const struct Way* way, int rank) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    for (int message = 0; message < messages; ++message) {
        if (rank == 0) {
            send(way, 1);
            receive(way, 1);
        } else {
            receive(way, 0);
            send(way, 0);
        }
    }
    return MPI_Wtime() - start;
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    const int rounds = argc > 1 ? atoi(argv[1]) : 101;
    int rank = 0;
    int ranks = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    double* ratio = rounds > 0 ? malloc(sizeof(double) * (size_t)rounds) : NULL;
    if (ranks != 2 || ratio == NULL) {
        fprintf(stderr, "forwarded_message: run it on two ranks, with at least one round\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    for (int bytes = 8; bytes <= 65536; bytes *= 8) {
        const size_t span = (size_t)bytes * blocks * stride;
        struct Way copy = {MPI_DATATYPE_NULL, calloc(span, 1), calloc((size_t)bytes * blocks, 1), bytes};
        if (copy.places == NULL || copy.together == NULL) {
            fprintf(stderr, "forwarded_message: not enough memory\n");
            MPI_Abort(MPI_COMM_WORLD, 2);
        }
        struct Way described = copy;
        MPI_Type_vector(blocks, bytes, bytes * stride, MPI_BYTE, &described.scattered);
        MPI_Type_commit(&described.scattered);
        seconds(&copy, rank); /* warm-up */
        seconds(&described, rank);
        for (int round = 0; round < rounds; ++round) {
            const double copied = seconds(&copy, rank);
            ratio[round] = seconds(&described, rank) / copied;
        }
        if (rank == 0) {
            const double middle = median(ratio, rounds);
            printf("%d blocks of %d bytes: a datatype takes %.2f times as long (%.2f to %.2f)\n", blocks, bytes, middle,
                   ratio[rounds / 4], ratio[rounds * 3 / 4]);
        }
        MPI_Type_free(&described.scattered);
        free(copy.places);
        free(copy.together);
    }
    free(ratio);
    MPI_Finalize();
    return 0;
}
