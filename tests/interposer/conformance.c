/* An MPI program that knows nothing of aapc but how many of its calls an interposer should take over, which it prints
 * at the end for the test's driver:
 *
 *     conformance SMALLEST_BLOCK MODE     MODE: all, churn, exhaustion or threads
 *
 * SMALLEST_BLOCK is the size in bytes from which blocks are to be exchanged by the interposer. Every byte of a payload
 * is a hash of its source, its destination, its offset and the call it belongs to. With IMMEDIATE or PERSISTENT defined
 * the calls are such as do not block (immediate.h). */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "immediate.h"
#include "layouts.h"

static long smallest_block;
static int fewest_ranks = 3;

/* What one thread did. */
typedef struct {
    long exchanged;
    long passed_through;
    unsigned call;
} Tally;

static int is_exchanged(long bytes, int ranks) { return ranks >= fewest_ranks && bytes > 0 && bytes >= smallest_block; }

/* One call, checked to the byte: every value in its place and everything else untouched. */
static void check_call(MPI_Comm comm, const Layout* send, const Layout* receive, int in_place, int scheduled,
                       Tally* tally) {
    int rank = 0;
    int ranks = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    const unsigned call = ++tally->call;
    size_t send_size = 0;
    size_t receive_size = 0;
    unsigned char* send_buffer = new_buffer(send, ranks, &send_size);
    unsigned char* receive_buffer = new_buffer(receive, ranks, &receive_size);
    unsigned char* expected = new_buffer(receive, ranks, &receive_size);
    for (int peer = 0; peer < ranks; ++peer) {
        for (long i = 0; i < receive->bytes; ++i) {
            if (in_place) put(receive_buffer, receive, peer, i, payload(rank, peer, i, call));
            put(expected, receive, peer, i, payload(peer, rank, i, call));
        }
        for (long i = 0; i < send->bytes; ++i) put(send_buffer, send, peer, i, payload(rank, peer, i, call));
    }
    unsigned char* send_before = malloc(send_size);
    memcpy(send_before, send_buffer, send_size);
    const int error = MPI_Alltoall(in_place ? MPI_IN_PLACE : send_buffer + guard_bytes, in_place ? 0 : send->count,
                                   in_place ? MPI_DATATYPE_NULL : send->type, receive_buffer + guard_bytes,
                                   receive->count, receive->type, comm);
    if (error != MPI_SUCCESS) fail("call %u returned %d", call, error);
    if (memcmp(send_before, send_buffer, send_size) != 0) fail("call %u changed the send buffer", call);
    for (size_t i = 0; i < receive_size; ++i) {
        if (receive_buffer[i] != expected[i]) {
            fail("call %u, %d ranks, blocks of %ld bytes, %s to %s%s: byte %zu is %d, not %d", call, ranks,
                 receive->bytes, send->name, receive->name, in_place ? " in place" : "", i, receive_buffer[i],
                 expected[i]);
        }
    }
    free(send_before);
    free(send_buffer);
    free(receive_buffer);
    free(expected);
    if (scheduled && is_exchanged(receive->bytes, ranks)) {
        ++tally->exchanged;
    } else {
        ++tally->passed_through;
    }
}

static void check_bytes(MPI_Comm comm, int bytes, Tally* tally) {
    Layout layout = byte_layout(bytes);
    check_call(comm, &layout, &layout, 0, 1, tally);
    free_layout(&layout);
}

static void check_sizes(Tally* tally) {
    const int sizes[] = {0, 1, 3, 8191, 8192, 8193, 6000, 70001};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) check_bytes(MPI_COMM_WORLD, sizes[i], tally);
    for (int i = 0; i < 5; ++i) check_bytes(MPI_COMM_WORLD, 4096, tally);
}

static void check_datatypes(Tally* tally) {
    int ranks = 0;
    int rank = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int integers = 600;
    const long bytes = 4L * integers;
    Layout layouts[layout_kinds];
    for (int kind = 0; kind < layout_kinds; ++kind) layouts[kind] = integer_layout(kind, integers, ranks);
    for (int kind = 0; kind < layout_kinds; ++kind) {
        check_call(MPI_COMM_WORLD, &layouts[kind], &layouts[kind], 0, 1, tally);
        check_call(MPI_COMM_WORLD, &layouts[kind], &layouts[kind], 1, 1, tally);
        check_call(MPI_COMM_WORLD, &layouts[kind], &layouts[0], 0, 1, tally);
        check_call(MPI_COMM_WORLD, &layouts[0], &layouts[kind], 0, 1, tally);
        /* Every rank another pair of types: only the signatures agree. */
        check_call(MPI_COMM_WORLD, &layouts[(rank + kind) % layout_kinds],
                   &layouts[(rank * 2 + kind + 3) % layout_kinds], 0, 1, tally);
        /* Some ranks in place, others not. The standard has all or none in place: MPICH 5's own call never ends. */
        const int in_place = is_exchanged(bytes, ranks) ? rank % 2 : kind % 2;
        check_call(MPI_COMM_WORLD, &layouts[kind], &layouts[(rank + kind) % layout_kinds], in_place, 1, tally);
    }
    for (int kind = 0; kind < layout_kinds; ++kind) free_layout(&layouts[kind]);
    Layout mixed[3];
    for (int kind = 0; kind < 3; ++kind) mixed[kind] = mixed_layout(kind, 200);
    for (int kind = 0; kind < 3; ++kind) {
        check_call(MPI_COMM_WORLD, &mixed[kind], &mixed[kind], 0, 1, tally);
        check_call(MPI_COMM_WORLD, &mixed[(rank + kind) % 3], &mixed[(rank + 1) % 3], 0, 1, tally);
        check_call(MPI_COMM_WORLD, &mixed[kind], &mixed[kind], 1, 1, tally);
    }
    for (int kind = 0; kind < 3; ++kind) free_layout(&mixed[kind]);

    MPI_Datatype nothing = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(0, MPI_INT, &nothing);
    Layout empty = new_layout("of no size", nothing, 0, 7, 0, 0);
    check_call(MPI_COMM_WORLD, &empty, &empty, 0, 1, tally);
    check_call(MPI_COMM_WORLD, &empty, &empty, 1, 1, tally);
    free_layout(&empty);
}

static int copies;
static int deletions;

static int on_copy(MPI_Comm comm, int key, void* extra, void* in, void* out, int* flag) {
    (void)comm, (void)key, (void)extra;
    ++copies;
    *(void**)out = in;
    *flag = 1;
    return MPI_SUCCESS;
}

static int on_deletion(MPI_Comm comm, int key, void* value, void* extra) {
    (void)comm, (void)key, (void)value, (void)extra;
    ++deletions;
    return MPI_SUCCESS;
}

static void check_communicators(Tally* tally) {
    int rank = 0;
    int ranks = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm reversed = MPI_COMM_NULL;
    MPI_Comm part = MPI_COMM_NULL;
    MPI_Comm duplicate = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, ranks - rank, &part);
    MPI_Comm_dup(MPI_COMM_WORLD, &duplicate);
    for (int round = 0; round < 2; ++round) {
        check_bytes(reversed, 3000, tally);
        check_bytes(part, 3000, tally);
        check_bytes(duplicate, 3000, tally);
        check_bytes(MPI_COMM_WORLD, 3000, tally);
        check_bytes(MPI_COMM_SELF, 3000, tally);
    }
    MPI_Comm second = MPI_COMM_NULL;
    MPI_Comm_dup(duplicate, &second);
    MPI_Comm_free(&duplicate);
    check_bytes(second, 3000, tally);
    check_bytes(reversed, 5000, tally);
    MPI_Comm_free(&part);
    MPI_Comm_disconnect(&reversed);
    check_bytes(second, 3000, tally);

    /* The user's own attributes are none of an interposer's business. */
    int key = MPI_KEYVAL_INVALID;
    MPI_Comm_create_keyval(on_copy, on_deletion, &key, NULL);
    MPI_Comm_set_attr(second, key, &key);
    check_bytes(second, 3000, tally);
    if (copies != 0 || deletions != 0) fail("an all-to-all ran the callbacks of the program's attributes");
    MPI_Comm_dup(second, &duplicate);
    check_bytes(duplicate, 3000, tally);
    MPI_Comm_free(&duplicate);
    MPI_Comm_free(&second);
    if (copies != 1 || deletions != 2) fail("%d copies and %d deletions, not 1 and 2", copies, deletions);
    MPI_Comm_free_keyval(&key);

    /* Left to MPI_Finalize. */
    MPI_Comm_dup(MPI_COMM_WORLD, &duplicate);
    check_bytes(duplicate, 3000, tally);
}

static void check_intercommunicator(Tally* tally) {
    int rank = 0;
    int ranks = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int low = rank < 1;
    MPI_Comm half = MPI_COMM_NULL;
    MPI_Comm inter = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, low, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, low ? 1 : 0, 5, &inter);
    int remote = 0;
    MPI_Comm_remote_size(inter, &remote);
    int* send = malloc(sizeof(int) * 1000 * (size_t)remote);
    int* receive = malloc(sizeof(int) * 1000 * (size_t)remote);
    for (int round = 0; round < 2; ++round) {
        for (int i = 0; i < 1000 * remote; ++i) send[i] = rank * 1000000 + i;
        MPI_Alltoall(send, 1000, MPI_INT, receive, 1000, MPI_INT, inter);
        ++tally->passed_through;
        for (int i = 0; i < 1000 * remote; ++i) {
            const int source = low ? 1 + i / 1000 : 0;
            const int mine = low ? 0 : rank - 1;
            if (receive[i] != source * 1000000 + mine * 1000 + i % 1000) fail("wrong on an intercommunicator");
        }
    }
    free(send);
    free(receive);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
}

static void expect_class(const char* what, int error, int expected) {
    int class = MPI_SUCCESS;
    MPI_Error_class(error, &class);
    if (class != expected) fail("%s: error class %d, not %d", what, class, expected);
}

/* The MPI's own complaints come through. */
static void check_errors(Tally* tally) {
    int buffer[64] = {0};
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    expect_class("negative count", MPI_Alltoall(buffer, 1, MPI_INT, buffer + 32, -1, MPI_INT, comm), MPI_ERR_COUNT);
    expect_class("no type", MPI_Alltoall(buffer, 1, MPI_INT, buffer + 32, 1, MPI_DATATYPE_NULL, comm), MPI_ERR_TYPE);
    expect_class("no communicator", MPI_Alltoall(buffer, 1, MPI_INT, buffer + 32, 1, MPI_INT, MPI_COMM_NULL),
                 MPI_ERR_COMM);
    tally->passed_through += 3;
    check_bytes(comm, 3000, tally);
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    MPI_Comm_get_errhandler(comm, &handler);
    if (handler != MPI_ERRORS_RETURN) fail("the communicator's error handler was changed");
    MPI_Errhandler_free(&handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
    MPI_Comm_free(&comm);
}

enum { many = 3000 };

/* Makes communicators until this MPI has no more, or `many`, without a message. Returns how many there are. */
static int take_communicators(MPI_Comm* taken) {
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    int count = 0;
    while (count < many && MPI_Comm_dup(MPI_COMM_SELF, &taken[count]) == MPI_SUCCESS) ++count;
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
    return count;
}

/* Communicators come and go while the MPI has few left: one that is not given back is missed soon. */
static void check_churn(Tally* tally) {
    MPI_Comm* taken = malloc(sizeof(MPI_Comm) * many);
    int count = take_communicators(taken);
    for (int i = 0; i < 8; ++i) MPI_Comm_free(&taken[--count]);
    for (int i = 0; i < 100; ++i) {
        MPI_Comm comm = MPI_COMM_NULL;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        check_bytes(comm, 8, tally);
        MPI_Comm_free(&comm);
    }
    while (count > 0) MPI_Comm_free(&taken[--count]);
    free(taken);
}

/* No communicator is left for an interposer, on a communicator whose errors are fatal. */
static int check_exhaustion(Tally* tally) {
    MPI_Comm* taken = malloc(sizeof(MPI_Comm) * many);
    int count = take_communicators(taken);
    const int exhausted = count < many;
    if (exhausted) {
        MPI_Comm_free(&taken[--count]);
        MPI_Comm last = MPI_COMM_NULL;
        MPI_Comm_dup(MPI_COMM_WORLD, &last);
        for (int i = 0; i < 3; ++i) check_bytes(last, 9000, tally);
        MPI_Comm_free(&last);
    }
    while (count > 0) MPI_Comm_free(&taken[--count]);
    free(taken);
    return exhausted;
}

typedef struct {
    MPI_Comm comm;
    Tally tally;
} Worker;

static void* work(void* argument) {
    Worker* worker = argument;
    for (int i = 0; i < 25; ++i) {
        check_bytes(worker->comm, 8192 + 100 * i, &worker->tally);
        MPI_Comm own = MPI_COMM_NULL;
        MPI_Comm_dup(worker->comm, &own);
        check_bytes(own, 4000, &worker->tally);
        MPI_Comm_free(&own);
    }
    return NULL;
}

static void check_threads(Tally* tally) {
    Worker workers[2] = {0};
    pthread_t threads[2];
    for (int i = 0; i < 2; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &workers[i].comm);
    for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, work, &workers[i]);
    for (int i = 0; i < 2; ++i) {
        pthread_join(threads[i], NULL);
        MPI_Comm_free(&workers[i].comm);
        tally->exchanged += workers[i].tally.exchanged;
        tally->passed_through += workers[i].tally.passed_through;
    }
}

int main(int argc, char** argv) {
    if (argc < 3 || argc > 4) return 2;
    smallest_block = strtol(argv[1], NULL, 10);
    if (argc > 3) fewest_ranks = (int)strtol(argv[3], NULL, 10);
    const char* mode = argv[2];
    Tally tally = {0};
    if (strcmp(mode, "threads") == 0) {
        int provided = MPI_THREAD_SINGLE;
        MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
        if (provided < MPI_THREAD_MULTIPLE) {
            printf("skipped: this MPI has no MPI_THREAD_MULTIPLE\n");
            MPI_Finalize();
            return 77;
        }
        check_threads(&tally);
    } else {
        MPI_Init(&argc, &argv);
        if (strcmp(mode, "churn") == 0) {
            check_churn(&tally);
        } else if (strcmp(mode, "exhaustion") == 0) {
            if (!check_exhaustion(&tally)) {
                printf("skipped: this MPI does not run out of communicators\n");
                MPI_Finalize();
                return 77;
            }
        } else {
            check_sizes(&tally);
            check_datatypes(&tally);
            check_communicators(&tally);
            check_intercommunicator(&tally);
            check_errors(&tally);
        }
    }
    long sums[2] = {0, 0};
    const long mine[2] = {tally.exchanged, tally.passed_through};
    MPI_Reduce(mine, sums, 2, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) printf("%ld calls exchanged, %ld passed through\n", sums[0], sums[1]);
    MPI_Finalize();
    return 0;
}
