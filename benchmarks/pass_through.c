/* What the interposer costs a call of MPI_Alltoall or MPI_Alltoallv that it passes through to the MPI's own routine:
 *
 *     mpirun -n 1 aapc exec --topology FILE -- pass_through [CALLS [ROUNDS]]
 *
 * On MPI_COMM_WORLD, which has one or two ranks and therefore is never scheduled, with one byte a block. The two ways
 * take turns, ROUNDS times CALLS calls each. Rank 0 prints the median nanoseconds a call of each way and the median of
 * their differences, round by round. Without an interposer there is only one way. */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

typedef int (*Alltoall)(const void*, int, MPI_Datatype, void*, int, MPI_Datatype, MPI_Comm);
typedef int (*Alltoallv)(const void*, const int*, const int*, MPI_Datatype, void*, const int*, const int*, MPI_Datatype,
                         MPI_Comm);

enum { most_ranks = 2 };

/* One routine or the other; the other one is NULL. */
typedef struct {
    Alltoall equal;
    Alltoallv unequal;
} Routine;

static double nanoseconds_a_call(Routine routine, long calls) {
    const char send[most_ranks] = {1, 2};
    char receive[most_ranks];
    const int counts[most_ranks] = {1, 1};
    const int places[most_ranks] = {0, 1};
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    if (routine.equal != NULL) {
        for (long call = 0; call < calls; ++call) {
            routine.equal(send, 1, MPI_CHAR, receive, 1, MPI_CHAR, MPI_COMM_WORLD);
        }
    } else {
        for (long call = 0; call < calls; ++call) {
            routine.unequal(send, counts, places, MPI_CHAR, receive, counts, places, MPI_CHAR, MPI_COMM_WORLD);
        }
    }
    return (MPI_Wtime() - start) / (double)calls * 1e9;
}

static int ascending(const void* left, const void* right) {
    const double difference = *(const double*)left - *(const double*)right;
    return (difference > 0) - (difference < 0);
}

static double median(double* values, long count) {
    qsort(values, (size_t)count, sizeof *values, ascending);
    return count % 2 == 1 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
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
    if (through == NULL || direct == NULL || difference == NULL) {
        MPI_Abort(MPI_COMM_WORLD, 1);
        return;
    }
    nanoseconds_a_call(program, calls); /* warm up: the first call decides for the communicator */
    for (long round = 0; round < rounds; ++round) {
        through[round] = nanoseconds_a_call(program, calls);
        direct[round] = interposed ? nanoseconds_a_call(native, calls) : through[round];
        difference[round] = through[round] - direct[round];
    }
    if (rank == 0 && interposed) {
        const double cost = median(difference, rounds);
        printf("%d ranks: %s %.0f ns, the MPI's own %.0f ns, passing through costs %.0f ns a call\n", ranks, name,
               median(through, rounds), median(direct, rounds), cost);
    } else if (rank == 0) {
        printf("%d ranks: %s %.0f ns a call, no interposer\n", ranks, name, median(through, rounds));
    }
    free(through);
    free(direct);
    free(difference);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    const long calls = argc > 1 ? atol(argv[1]) : 20000;
    const long rounds = argc > 2 ? atol(argv[2]) : 31;
    int ranks = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks > most_ranks || calls < 1 || rounds < 1) {
        fprintf(stderr, "pass_through: run it on one or two ranks, with at least one call and one round\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
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
    MPI_Finalize();
    return 0;
}
