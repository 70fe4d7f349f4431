/* A program of many communicators, each of which has a few calls:
 *
 *     communicators MODE CALLS BYTES
 *
 *     one-after-the-other   a duplicate of MPI_COMM_WORLD, its calls, then the next one, which comes while the one
 *                           before is still there, and every other one when that is gone
 *     unequal               the same with MPI_Alltoallv
 *     mixed                 two halves of the ranks learn by themselves, each on machines of the same names; then there
 *                           are communicators of ranks of both, which know different things
 *     threads               two threads that each duplicate, call and free
 *     short-lived           3,000 communicators, more than an MPI has at a time, each of which is freed after its calls
 *     agreements            the same as unequal, and the first call of each makes one all-reduce and no more
 *     set-up                the same where every call is exchanged: three with the exchange, with one rank a machine
 *     in-passing            the same as agreements, where nobody says anything: that all-reduce waits for nobody, and
 *                           the second communicator goes on where the first one was, with fewer of them
 *     in-passing-equal      the same with MPI_Alltoall; a second size begins without waiting, too
 *     refused-first         the first call of one rank is refused, so that the others are in their first call with its
 *                           second one
 *     short-calls           the same as agreements, and no other call makes one; few begin reductions, behind the third
 *                           call none for ten calls
 *
 * Every byte is checked. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checked.h"

static int calls;

/* Of ours, since nobody else makes one here: those that wait for everybody, and those that do not. */
static long all_reduces;
static long begun_reduces;

/* What the library calls: names of the program come before the MPI's. */
__attribute__((visibility("default"))) int PMPI_Allreduce(const void* sendbuf, void* recvbuf, int count,
                                                          MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
    static int (*real)(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm);
    if (real == NULL) *(void**)&real = dlsym(RTLD_NEXT, "PMPI_Allreduce");
    __atomic_add_fetch(&all_reduces, 1, __ATOMIC_RELAXED);
    return real(sendbuf, recvbuf, count, datatype, op, comm);
}

__attribute__((visibility("default"))) int PMPI_Iallreduce(const void* sendbuf, void* recvbuf, int count,
                                                           MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                                           MPI_Request* request) {
    static int (*real)(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Request*);
    if (real == NULL) *(void**)&real = dlsym(RTLD_NEXT, "PMPI_Iallreduce");
    __atomic_add_fetch(&begun_reduces, 1, __ATOMIC_RELAXED);
    return real(sendbuf, recvbuf, count, datatype, op, comm, request);
}

static void begin_with_agreements(long expected) {
    for (int one = 0; one < 4; ++one) {
        MPI_Comm comm = MPI_COMM_NULL;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        const long before = all_reduces;
        exchange(comm, 0, 1);
        if (all_reduces - before != expected) {
            fprintf(stderr, "communicators: communicator %d began with %ld all-reduces\n", one, all_reduces - before);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
        for (int call = 1; call < calls; ++call) exchange(comm, call, 1);
        MPI_Comm_free(&comm);
    }
}

/* A call that makes so many all-reduces of the one kind and of the other. */
static void exchange_with(MPI_Comm comm, int call, int unequal, long waiting, long begun) {
    const long waiting_before = all_reduces;
    const long begun_before = begun_reduces;
    exchange(comm, call, unequal);
    if (all_reduces - waiting_before != waiting || begun_reduces - begun_before != begun) {
        fprintf(stderr, "communicators: call %d made %ld all-reduces and began %ld, not %ld and %ld\n", call,
                all_reduces - waiting_before, begun_reduces - begun_before, waiting, begun);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

static void begin_in_passing(void) {
    long of_first = 0;
    for (int one = 0; one < 4; ++one) {
        MPI_Comm comm = MPI_COMM_NULL;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        const long before = begun_reduces;
        exchange_with(comm, 0, 1, 0, 1);
        exchange_with(comm, 1, 1, 0, 0);
        for (int call = 2; call < calls; ++call) exchange(comm, call, 1);
        MPI_Comm_free(&comm);
        if (one == 0) of_first = begun_reduces - before;
        if (one > 0 && begun_reduces - before >= of_first) {
            fprintf(stderr, "communicators: communicator %d began %ld reductions, the first one %ld\n", one,
                    begun_reduces - before, of_first);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    }
}

/* No call of equal blocks waits for a reduction of its own, except to set an exchange up: what is learned travels in
 * reductions that are begun with one call and ended with the next one. */
static void begin_in_passing_with_equal(void) {
    long of_first = 0;
    for (int one = 0; one < 4; ++one) {
        MPI_Comm comm = MPI_COMM_NULL;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        const long before = begun_reduces;
        exchange_with(comm, 0, 0, 0, 1);
        /* The first one's native call 0 is a block, whose result a candidate for call 1 is chosen by. */
        exchange_with(comm, 1, 0, 0, one == 0 ? 1 : 0);
        if (one == 0) exchange_with(comm, 2, 0, 0, 0);
        const long after_opening = all_reduces;
        for (int call = 3; call < calls; ++call) exchange(comm, call, 0);
        if (one == 0) of_first = begun_reduces - before;
        if (one > 0 && (begun_reduces - before > of_first || all_reduces != after_opening)) {
            fprintf(stderr, "communicators: communicator %d began %ld reductions, the first one %ld; %ld waited\n", one,
                    begun_reduces - before, of_first, all_reduces - after_opening);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
        bytes *= 2;
        const long before_larger = all_reduces;
        for (int call = 0; call < 3; ++call) exchange(comm, call, 0);
        if (all_reduces != before_larger) {
            fprintf(stderr, "communicators: communicator %d waited in first calls of a size\n", one);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
        bytes /= 2;
        MPI_Comm_free(&comm);
    }
}

/* Rank 0 begins with a call that the MPI refuses; when it calls again the others are in their first call. */
static void begin_with_a_refusal(void) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    int rank = 0;
    int ranks = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    if (rank == 0) {
        MPI_Datatype never_committed = MPI_DATATYPE_NULL;
        MPI_Type_contiguous(bytes, MPI_BYTE, &never_committed);
        unsigned char* const blocks = calloc((size_t)ranks, (size_t)bytes);
        if (MPI_Alltoall(blocks, bytes, MPI_BYTE, blocks, 1, never_committed, comm) == MPI_SUCCESS) {
            fprintf(stderr, "communicators: a type that was never committed is not refused\n");
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
        free(blocks);
        MPI_Type_free(&never_committed);
    }
    for (int call = 0; call < 6; ++call) exchange(comm, call, 0);
    MPI_Comm_free(&comm);
}

static void make_short_calls(void) {
    for (int one = 0; one < 2; ++one) {
        MPI_Comm comm = MPI_COMM_NULL;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        const long before = all_reduces;
        const long before_in_passing = begun_reduces;
        for (int call = 0; call < calls; ++call) {
            exchange(comm, call, 1);
            const long in_passing = begun_reduces - before_in_passing;
            if (all_reduces - before != 1 || in_passing > (call < 13 ? 2 : 2 * calls / 20)) {
                fprintf(stderr, "communicators: by call %d communicator %d has %ld all-reduces and %ld in passing\n",
                        call, one, all_reduces - before, in_passing);
                MPI_Abort(MPI_COMM_WORLD, 1);
            }
        }
        MPI_Comm_free(&comm);
    }
}

static void one_after_the_other(MPI_Comm parent, int communicators, int unequal) {
    MPI_Comm before = MPI_COMM_NULL;
    for (int one = 0; one < communicators; ++one) {
        if (one % 2 == 0 && before != MPI_COMM_NULL) MPI_Comm_free(&before);
        MPI_Comm comm = MPI_COMM_NULL;
        MPI_Comm_dup(parent, &comm);
        for (int call = 0; call < calls; ++call) exchange(comm, call, unequal);
        if (before != MPI_COMM_NULL) MPI_Comm_free(&before);
        before = comm;
    }
    MPI_Comm_free(&before);
}

static void mixed(void) {
    int rank = 0;
    int ranks = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int half = ranks / 2;
    MPI_Comm own = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, rank / half, rank, &own);
    /* The second half learns from fewer calls. */
    for (int call = 0; call < calls / (1 + rank / half); ++call) {
        exchange(own, call, 0);
        exchange(own, call, 1);
    }
    /* Place p is rank p of one half or of the other. */
    MPI_Comm across = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, (rank / half + rank) % 2, rank % half, &across);
    for (int call = 0; call < calls; ++call) {
        exchange(across, call, 0);
        exchange(across, call, 1);
    }
    MPI_Comm_free(&across);
    MPI_Comm_free(&own);
}

static void* work(void* comm) {
    one_after_the_other(*(MPI_Comm*)comm, 3, 0);
    one_after_the_other(*(MPI_Comm*)comm, 3, 1);
    return NULL;
}

static void threads(void) {
    MPI_Comm comms[2];
    pthread_t workers[2];
    for (int one = 0; one < 2; ++one) MPI_Comm_dup(MPI_COMM_WORLD, &comms[one]);
    for (int one = 0; one < 2; ++one) pthread_create(&workers[one], NULL, work, &comms[one]);
    for (int one = 0; one < 2; ++one) {
        pthread_join(workers[one], NULL);
        MPI_Comm_free(&comms[one]);
    }
}

int main(int argc, char** argv) {
    if (argc != 4) return 2;
    const char* const mode = argv[1];
    calls = atoi(argv[2]);
    bytes = atoi(argv[3]);
    int provided = MPI_THREAD_SINGLE;
    const int many = strcmp(mode, "threads") == 0;
    MPI_Init_thread(&argc, &argv, many ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
    if (many && provided < MPI_THREAD_MULTIPLE) {
        printf("skipped: this MPI has no MPI_THREAD_MULTIPLE\n");
        MPI_Finalize();
        return 77;
    }
    if (many) {
        threads();
    } else if (strcmp(mode, "mixed") == 0) {
        mixed();
    } else if (strcmp(mode, "short-lived") == 0) {
        one_after_the_other(MPI_COMM_WORLD, 3000, 1);
    } else if (strcmp(mode, "agreements") == 0) {
        begin_with_agreements(1);
    } else if (strcmp(mode, "set-up") == 0) {
        begin_with_agreements(3);
    } else if (strcmp(mode, "in-passing") == 0) {
        begin_in_passing();
    } else if (strcmp(mode, "in-passing-equal") == 0) {
        begin_in_passing_with_equal();
    } else if (strcmp(mode, "refused-first") == 0) {
        begin_with_a_refusal();
    } else if (strcmp(mode, "short-calls") == 0) {
        make_short_calls();
    } else {
        one_after_the_other(MPI_COMM_WORLD, 4, strcmp(mode, "unequal") == 0);
    }
    MPI_Finalize();
    return 0;
}
