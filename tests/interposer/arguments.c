/* What a program may say at the edge of what MPI allows, and just beyond it:
 *
 *     arguments bottom     MPI_BOTTOM with types of absolute addresses
 *     arguments refused    arguments that the MPI refuses on sight: the same error class from MPI_Alltoall and from the
 *                          MPI's own routine, and the next call works
 *     arguments lengths    rank 0 sends blocks twice as long as it receives, as in the MPICH suite's alltoalllength:
 *                          an error there, nobody waits, and the next call works
 *     arguments lengths-native     the same, where the call is handed to the native routine: what that says on rank 0
 *     arguments sizes      rank 0 calls with blocks of another size than the others: an error everywhere, nobody waits,
 *                          and the next call works
 *     arguments late       rank 1 makes its second call two seconds after the others, and all is well
 *     arguments files      rank 0 damages the files of its settings between its calls, and nothing changes
 *     arguments leave      all ranks exchange something, leave communicators behind and end without MPI_Finalize
 *
 * Prints how many of its calls should have been exchanged and passed through. Every block of one byte or more is to be
 * exchanged. */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef int (*Alltoall)(const void*, int, MPI_Datatype, void*, int, MPI_Datatype, MPI_Comm);

enum { integers = 300 };

static long exchanged;
static long passed_through;
static int rank;
static int ranks;

static void fail(const char* what) {
    fprintf(stderr, "arguments: rank %d: %s\n", rank, what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static int* new_integers(int count, int first) {
    int* const made = malloc(sizeof(int) * (size_t)count);
    if (made == NULL) fail("no memory");
    for (int i = 0; i < count; ++i) made[i] = first + i;
    return made;
}

/* Every second integer of a block, at the address where the block is; blocks follow one another. */
static MPI_Datatype at_address(int* buffer) {
    MPI_Aint address = 0;
    MPI_Get_address(buffer, &address);
    MPI_Datatype gaps = MPI_DATATYPE_NULL;
    MPI_Datatype there = MPI_DATATYPE_NULL;
    MPI_Datatype block = MPI_DATATYPE_NULL;
    const int one = 1;
    MPI_Type_vector(integers, 1, 2, MPI_INT, &gaps);
    MPI_Type_create_hindexed(1, &one, &address, gaps, &there);
    MPI_Type_create_resized(there, 0, 2 * integers * (MPI_Aint)sizeof(int), &block);
    MPI_Type_commit(&block);
    MPI_Type_free(&gaps);
    MPI_Type_free(&there);
    return block;
}

static void check_bottom(void) {
    int* const send = new_integers(2 * integers * ranks, rank * 1000000);
    for (int way = 0; way < 4; ++way) {
        const int bottom_here = way == 3 ? rank % 2 : way != 1; /* of the send buffer */
        const int bottom_there = way != 0;
        int* const receive = new_integers(2 * integers * ranks, -2000000000);
        MPI_Datatype from = at_address(send);
        MPI_Datatype to = at_address(receive);
        MPI_Datatype gaps = MPI_DATATYPE_NULL;
        MPI_Datatype block = MPI_DATATYPE_NULL;
        MPI_Type_vector(integers, 1, 2, MPI_INT, &gaps);
        MPI_Type_create_resized(gaps, 0, 2 * integers * (MPI_Aint)sizeof(int), &block);
        MPI_Type_commit(&block);
        MPI_Alltoall(bottom_here ? MPI_BOTTOM : send, 1, bottom_here ? from : block,
                     bottom_there ? MPI_BOTTOM : receive, 1, bottom_there ? to : block, MPI_COMM_WORLD);
        ++exchanged;
        for (int i = 0; i < 2 * integers * ranks; ++i) {
            const int sender = i / (2 * integers);
            const int sent = sender * 1000000 + rank * 2 * integers + i % (2 * integers);
            if (receive[i] != (i % 2 == 0 ? sent : -2000000000 + i)) fail("wrong data with MPI_BOTTOM");
        }
        if (bottom_there) {
            MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, MPI_BOTTOM, 1, to, MPI_COMM_WORLD);
        } else {
            MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, receive, 1, block, MPI_COMM_WORLD);
        }
        ++exchanged;
        MPI_Type_free(&from);
        MPI_Type_free(&to);
        MPI_Type_free(&gaps);
        MPI_Type_free(&block);
        free(receive);
    }
    free(send);
}

static int class_of(int error) {
    int class = MPI_SUCCESS;
    MPI_Error_class(error, &class);
    return class;
}

static int* buffer;
static int* other;
static Alltoall native;

static void new_buffers(void) {
    buffer = new_integers(64 * ranks, rank * 1000);
    other = new_integers(64 * ranks, 0);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
}

static void good_call(void) {
    MPI_Alltoall(buffer, 8, MPI_INT, other, 8, MPI_INT, MPI_COMM_WORLD);
    ++exchanged;
    for (int i = 0; i < 8 * ranks; ++i) {
        if (other[i] != i / 8 * 1000 + rank * 8 + i % 8) fail("wrong data after an error");
    }
}

static void expect_same(const char* what, const void* send, int send_count, MPI_Datatype send_type, void* receive,
                        int receive_count, MPI_Datatype receive_type) {
    const int expected =
        class_of(native(send, send_count, send_type, receive, receive_count, receive_type, MPI_COMM_WORLD));
    const int class =
        class_of(MPI_Alltoall(send, send_count, send_type, receive, receive_count, receive_type, MPI_COMM_WORLD));
    ++passed_through;
    if (expected == MPI_SUCCESS) fail("the MPI's own accepts what it was to refuse");
    if (class != expected) {
        fprintf(stderr, "arguments: rank %d: %s: error class %d, the MPI's own says %d\n", rank, what, class, expected);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    good_call();
}

static void exchange_on(MPI_Comm comm) {
    int all = 0;
    int me = 0;
    MPI_Comm_size(comm, &all);
    MPI_Comm_rank(comm, &me);
    int* const send = new_integers(integers * all, me * 1000000);
    int* const receive = new_integers(integers * all, -1);
    MPI_Alltoall(send, integers, MPI_INT, receive, integers, MPI_INT, comm);
    for (int i = 0; i < integers * all; ++i) {
        if (receive[i] != i / integers * 1000000 + me * integers + i % integers) fail("wrong data");
    }
    ++exchanged;
    free(send);
    free(receive);
}

static int complaints;

static void on_error(MPI_Comm* comm, int* code, ...) {
    (void)comm, (void)code;
    ++complaints;
}

/* An unequal call in place that does not wait. */
static int begin_in_place(const int* counts, MPI_Comm comm, MPI_Request* request) {
    static const int places[64];
    return MPI_Ialltoallv(MPI_IN_PLACE, counts, places, MPI_INT, other, counts, places, MPI_INT, comm, request);
}

/* A small unequal call, which all ranks agree to leave to the MPI. */
static void unequal_on(MPI_Comm comm) {
    int counts[64] = {0};
    int places[64] = {0};
    int here[64] = {0};
    int there[64] = {0};
    for (int one = 0; one < ranks; ++one) {
        counts[one] = 1;
        places[one] = one;
        here[one] = rank * 64 + one;
    }
    MPI_Alltoallv(here, counts, places, MPI_INT, there, counts, places, MPI_INT, comm);
    for (int one = 0; one < ranks; ++one)
        if (there[one] != one * 64 + rank) fail("wrong data of an unequal call");
    ++passed_through;
}

/* It is refused: the MPI complains once, and the communicator is as it was. It is not, and Open MPI makes no more
 * communicators of this one: other calls end nonetheless. */
static void check_in_place(void) {
    static const int negative[64] = {-1};
    static const int none[64];
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Comm_create_errhandler(on_error, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    /* From MPI 4.0 on, what concerns no communicator is raised there. */
    MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
    /* What this MPI returns then, from a routine that is not interposed: MPICH 5.0.2 returns MPI_SUCCESS. */
    const int without = class_of(MPI_Ibarrier(MPI_COMM_NULL, &request));
    complaints = 0;
    int error = begin_in_place(none, MPI_COMM_NULL, &request);
    if (class_of(error) != without || complaints != 1) fail("other complaints of no communicator");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
    MPI_Errhandler_free(&handler);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    error = begin_in_place(negative, copy, &request);
    if (class_of(error) != MPI_ERR_COUNT) fail("no complaint of a negative count");
    exchange_on(copy);
    MPI_Comm_free(&copy);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    unequal_on(copy); /* what the ranks agree with is there before */
    int counts[64] = {0};
    if (rank > 0) counts[3 - rank] = 8; /* rank 0 has nothing */
    begin_in_place(counts, copy, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    exchange_on(copy);
    unequal_on(copy);
    passed_through += 3;
#ifndef MPICH_VERSION
    --exchanged;
    ++passed_through;
#endif
    MPI_Comm_free(&copy);
}

static void find_native(void) {
    const union {
        void* object;
        Alltoall function;
    } found = {dlsym(RTLD_DEFAULT, "aapc_native_alltoall")};
    if (found.object == NULL) fail("no interposer is loaded");
    native = found.function;
}

static void check_refused(void) {
    find_native();
    new_buffers();
    MPI_Datatype pair = MPI_DATATYPE_NULL;
    MPI_Datatype gaps = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_vector(2, 1, 2, MPI_INT, &gaps);
    expect_same("receive buffer in place", buffer, 8, MPI_INT, MPI_IN_PLACE, 8, MPI_INT);
    expect_same("both in place", MPI_IN_PLACE, 8, MPI_INT, MPI_IN_PLACE, 8, MPI_INT);
    expect_same("uncommitted types", buffer, 4, pair, other, 4, pair);
    expect_same("uncommitted type to send", buffer, 4, pair, other, 8, MPI_INT);
    expect_same("uncommitted type to receive", buffer, 8, MPI_INT, other, 4, pair);
    expect_same("uncommitted type with gaps", buffer, 4, gaps, other, 4, gaps);
    expect_same("uncommitted type in place", MPI_IN_PLACE, 0, MPI_INT, other, 4, pair);
    expect_same("negative count", buffer, -1, MPI_INT, other, 8, MPI_INT);
    expect_same("no type", buffer, 8, MPI_DATATYPE_NULL, other, 8, MPI_INT);
#ifdef MPICH_VERSION
    /* Open MPI takes any address. */
    expect_same("no buffer to send", NULL, 8, MPI_INT, other, 8, MPI_INT);
    expect_same("no buffer to receive", buffer, 8, MPI_INT, NULL, 8, MPI_INT);
    expect_same("no buffer in place", MPI_IN_PLACE, 8, MPI_INT, NULL, 8, MPI_INT);
    expect_same("one buffer", buffer, 8, MPI_INT, buffer, 8, MPI_INT);
    MPI_Type_commit(&pair);
    expect_same("no buffer for a derived type", NULL, 4, pair, other, 4, pair);
    expect_same("one buffer for a derived type", buffer, 4, pair, buffer, 4, pair);
#endif
    check_in_place();
    MPI_Type_free(&pair);
    MPI_Type_free(&gaps);
    free(buffer);
    free(other);
}

/* MPICH 4.2.1 says nothing of them by itself, over UCX. */
static void check_lengths(int as_native) {
    new_buffers();
    for (int round = 0; round < 3; ++round) {
        const int count = rank == 0 ? 16 : 8;
        int expected = MPI_ERR_TRUNCATE;
        if (as_native) {
            find_native();
            expected = class_of(native(buffer, count, MPI_INT, other, 8, MPI_INT, MPI_COMM_WORLD));
        }
        const int error = MPI_Alltoall(buffer, count, MPI_INT, other, 8, MPI_INT, MPI_COMM_WORLD);
        if (rank == 0 && class_of(error) != expected) fail("another complaint of blocks that do not fit");
        good_call();
    }
}

static void check_sizes(void) {
    new_buffers();
    for (int round = 0; round < 3; ++round) {
        const int count = rank == 0 ? 8 : 16;
        const int error = MPI_Alltoall(buffer, count, MPI_INT, other, count, MPI_INT, MPI_COMM_WORLD);
        if (class_of(error) != MPI_ERR_TRUNCATE) fail("no complaint of blocks of another size");
        good_call();
    }
}

static void damage(const char* variable) {
    const char* const name = getenv(variable);
    if (name == NULL) return;
    FILE* const file = fopen(name, "w");
    if (file == NULL) fail("a file of the settings cannot be written");
    fputs("[network]\nspeed = \"1 furlong\"\n\xff = [[[", file);
    fclose(file);
}

/* Settings are read once. What is decided later is decided from memory. */
static void check_files(void) {
    exchange_on(MPI_COMM_WORLD);
    if (rank == 0) {
        damage("AAPC_TOPOLOGY");
        damage("AAPC_TUNING");
    }
    MPI_Barrier(MPI_COMM_WORLD);
    exchange_on(MPI_COMM_WORLD);
    MPI_Comm part = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &part);
    exchange_on(part);
    if (rank == 0) {
        if (getenv("AAPC_TOPOLOGY") != NULL) remove(getenv("AAPC_TOPOLOGY"));
        if (getenv("AAPC_TUNING") != NULL) remove(getenv("AAPC_TUNING"));
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Comm_dup(part, &copy);
    exchange_on(copy);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&part);
}

static void check_late(void) {
    exchange_on(MPI_COMM_WORLD);
    if (rank == 1) sleep(2);
    exchange_on(MPI_COMM_WORLD);
}

static void leave(void) {
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    exchange_on(MPI_COMM_WORLD);
    exchange_on(copy);
    exit(0);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc == 2 && strcmp(argv[1], "bottom") == 0) {
        check_bottom();
    } else if (argc == 2 && strcmp(argv[1], "refused") == 0) {
        check_refused();
    } else if (argc == 2 && strcmp(argv[1], "lengths") == 0) {
        check_lengths(0);
    } else if (argc == 2 && strcmp(argv[1], "lengths-native") == 0) {
        check_lengths(1);
    } else if (argc == 2 && strcmp(argv[1], "sizes") == 0) {
        check_sizes();
    } else if (argc == 2 && strcmp(argv[1], "late") == 0) {
        check_late();
    } else if (argc == 2 && strcmp(argv[1], "files") == 0) {
        check_files();
    } else if (argc == 2 && strcmp(argv[1], "leave") == 0) {
        leave();
    } else {
        fail("usage: arguments bottom|refused|lengths|lengths-native|sizes|late|files|leave");
    }
    long sums[2] = {0, 0};
    const long mine[2] = {exchanged, passed_through};
    MPI_Reduce(mine, sums, 2, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("%ld calls exchanged, %ld passed through\n", sums[0], sums[1]);
    MPI_Finalize();
    return 0;
}
