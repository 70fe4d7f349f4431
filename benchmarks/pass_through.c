/* What a call of MPI_Alltoall or MPI_Alltoallv takes with the interposer, and what with the MPI's own routine:
 *
 *     mpirun -n 1 aapc exec --topology FILE -- pass_through [CALLS [ROUNDS [BYTES]]]
 *
 * On MPI_COMM_WORLD, with blocks of BYTES (1). The two ways take turns, ROUNDS times CALLS calls each. Rank 0 prints
 * the median nanoseconds a call of each way, the median of their differences and that of their ratios, round by round.
 * One rank is never scheduled: what it pays is what passing through costs. Where all ranks share a machine, ratios say
 * what calls have taught; the interposer's calls of a first round and a half teach and are not counted. Without an
 * interposer there is only one way. */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "median.h"

typedef int (*Alltoall)(const void*, int, MPI_Datatype, void*, int, MPI_Datatype, MPI_Comm);
typedef int (*Alltoallv)(const void*, const int*, const int*, MPI_Datatype, void*, const int*, const int*, MPI_Datatype,
                         MPI_Comm);

static int bytes = 1;
static char* send;
static char* receive;
static int* counts;
static int* places;

/* One routine or the other; the other one is NULL. */
typedef struct {
    Alltoall equal;
    Alltoallv unequal;
} Routine;

static double nanoseconds_a_call(Routine routine, long calls) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    if (routine.equal != NULL) {
        for (long call = 0; call < calls; ++call) {
            routine.equal(send, bytes, MPI_CHAR, receive, bytes, MPI_CHAR, MPI_COMM_WORLD);
        }
    } else {
        for (long call = 0; call < calls; ++call) {
            routine.unequal(send, counts, places, MPI_CHAR, receive, counts, places, MPI_CHAR, MPI_COMM_WORLD);
        }
    }
    return (MPI_Wtime() - start) / (double)calls * 1e9;
}

static void* find(const char* name) { return dlsym(RTLD_DEFAULT, name); }

/* Without an interposer `native` has none. */
static void compare(const char* name, Routine program, Routine native, long calls, long rounds) {
    int rank = 0;
    int ranks = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int interposed = native.equal != NULL || native.unequal != NULL;
    double* through = malloc(sizeof(double) * (size_t)rounds);
    double* direct = malloc(sizeof(double) * (size_t)rounds);
    double* difference = malloc(sizeof(double) * (size_t)rounds);
    double* ratio = malloc(sizeof(double) * (size_t)rounds);
    if (through == NULL || direct == NULL || difference == NULL || ratio == NULL) {
        MPI_Abort(MPI_COMM_WORLD, 1);
        return;
    }
    nanoseconds_a_call(program, calls + calls / 2); /* warm up: the first call decides for the communicator */
    for (long round = 0; round < rounds; ++round) {
        through[round] = nanoseconds_a_call(program, calls);
        direct[round] = interposed ? nanoseconds_a_call(native, calls) : through[round];
        difference[round] = through[round] - direct[round];
        ratio[round] = direct[round] / through[round];
    }
    if (rank == 0 && interposed) {
        const double cost = median(difference, rounds);
        printf(
            "%d ranks, %d bytes: %s %.0f ns, the MPI's own %.0f ns, passing through costs %.0f ns a call, ratio %.3f\n",
            ranks, bytes, name, median(through, rounds), median(direct, rounds), cost, median(ratio, rounds));
    } else if (rank == 0) {
        printf("%d ranks, %d bytes: %s %.0f ns a call, no interposer\n", ranks, bytes, name, median(through, rounds));
    }
    free(through);
    free(direct);
    free(difference);
    free(ratio);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    const long calls = argc > 1 ? atol(argv[1]) : 20000;
    const long rounds = argc > 2 ? atol(argv[2]) : 31;
    bytes = argc > 3 ? atoi(argv[3]) : 1;
    int ranks = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (bytes < 1 || calls < 1 || rounds < 1) {
        fprintf(stderr, "pass_through: run it with at least one call, one round and one byte\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    send = calloc((size_t)ranks, (size_t)bytes);
    receive = calloc((size_t)ranks, (size_t)bytes);
    counts = malloc(sizeof(int) * (size_t)ranks);
    places = malloc(sizeof(int) * (size_t)ranks);
    if (send == NULL || receive == NULL || counts == NULL || places == NULL) {
        MPI_Abort(MPI_COMM_WORLD, 1);
        return 1;
    }
    for (int rank = 0; rank < ranks; ++rank) {
        counts[rank] = bytes;
        places[rank] = rank * bytes;
    }
    /* POSIX lets a pointer to a function come out of dlsym; ISO C has no cast for it. */
    union {
        void* object;
        Alltoall function;
    } equal = {find("aapc_native_alltoall")};
    union {
        void* object;
        Alltoallv function;
    } unequal = {find("aapc_native_alltoallv")};
    compare("MPI_Alltoall", (Routine){MPI_Alltoall, NULL}, (Routine){equal.function, NULL}, calls, rounds);
    compare("MPI_Alltoallv", (Routine){NULL, MPI_Alltoallv}, (Routine){NULL, unequal.function}, calls, rounds);
    free(send);
    free(receive);
    free(counts);
    free(places);
    MPI_Finalize();
    return 0;
}
