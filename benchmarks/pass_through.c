/* What the interposer costs a call of MPI_Alltoall that it passes through to the MPI's own routine:
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

enum { most_ranks = 2 };

static double nanoseconds_a_call(Alltoall alltoall, long calls) {
    const char send[most_ranks] = {1, 2};
    char receive[most_ranks];
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    for (long call = 0; call < calls; ++call) {
        alltoall(send, 1, MPI_CHAR, receive, 1, MPI_CHAR, MPI_COMM_WORLD);
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

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    const long calls = argc > 1 ? atol(argv[1]) : 20000;
    const long rounds = argc > 2 ? atol(argv[2]) : 31;
    int rank = 0;
    int ranks = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks > most_ranks || calls < 1 || rounds < 1) {
        fprintf(stderr, "pass_through: run it on one or two ranks, with at least one call and one round\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    /* POSIX lets a pointer to a function come out of dlsym; ISO C has no cast for it. */
    union {
        void* object;
        Alltoall function;
    } native = {dlsym(RTLD_DEFAULT, "aapc_native_alltoall")};
    const int interposed = native.object != NULL;
    double* through = malloc(sizeof(double) * (size_t)rounds);
    double* direct = malloc(sizeof(double) * (size_t)rounds);
    double* difference = malloc(sizeof(double) * (size_t)rounds);
    if (through == NULL || direct == NULL || difference == NULL) {
        MPI_Abort(MPI_COMM_WORLD, 1);
        return 1;
    }
    nanoseconds_a_call(MPI_Alltoall, calls); /* warm up: the first call decides for the communicator */
    for (long round = 0; round < rounds; ++round) {
        through[round] = nanoseconds_a_call(MPI_Alltoall, calls);
        direct[round] = interposed ? nanoseconds_a_call(native.function, calls) : through[round];
        difference[round] = through[round] - direct[round];
    }
    if (rank == 0 && interposed) {
        const double cost = median(difference, rounds);
        printf("%d ranks: MPI_Alltoall %.0f ns, the MPI's own %.0f ns, passing through costs %.0f ns a call\n", ranks,
               median(through, rounds), median(direct, rounds), cost);
    } else if (rank == 0) {
        printf("%d ranks: MPI_Alltoall %.0f ns a call, no interposer\n", ranks, median(through, rounds));
    }
    free(through);
    free(direct);
    free(difference);
    MPI_Finalize();
    return 0;
}
