/* Every all-to-all-like routine that this MPI has, each called a known number of times on all ranks: routine number i
 * (from 0, in the order below) 1 + i % 3 times. Every byte that arrives is checked. Prints how many calls should have
 * been exchanged and passed through. Run it on three ranks or more. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { most_ranks = 16, block = 3 };

typedef struct {
    MPI_Comm comm;
    int peers;
    int send[most_ranks * block];
    int receive[most_ranks * block];
    int counts[most_ranks];
    int places[most_ranks];
    int byte_places[most_ranks];
    MPI_Aint address_places[most_ranks];
    MPI_Datatype types[most_ranks];
    MPI_Count large_counts[most_ranks];
    MPI_Aint large_places[most_ranks];
} Call;

static int rank;
static int routines;
static long calls;

static void fail(const char* what) {
    fprintf(stderr, "kinds: rank %d: wrong: %s\n", rank, what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Rank i sends block j to peer j, 100 i + j in each element. */
static void fill(Call* call, MPI_Comm comm, int peers) {
    call->comm = comm;
    call->peers = peers;
    for (int peer = 0; peer < peers; ++peer) {
        for (int i = 0; i < block; ++i) {
            call->send[peer * block + i] = 100 * rank + peer;
            call->receive[peer * block + i] = -1;
        }
        call->counts[peer] = block;
        call->places[peer] = peer * block;
        call->byte_places[peer] = peer * block * (int)sizeof(int);
        call->address_places[peer] = call->byte_places[peer];
        call->types[peer] = MPI_INT;
        call->large_counts[peer] = block;
        call->large_places[peer] = call->places[peer];
    }
}

static void check(const Call* call, const int* sources, const int* blocks, const char* what) {
    for (int peer = 0; peer < call->peers; ++peer) {
        for (int i = 0; i < block; ++i) {
            if (call->receive[peer * block + i] != 100 * sources[peer] + blocks[peer]) fail(what);
        }
    }
}

static void complete(MPI_Request* request, int persistent) {
    if (persistent) MPI_Start(request);
    MPI_Wait(request, MPI_STATUS_IGNORE);
    if (persistent) MPI_Request_free(request);
}

/* Calls what follows as often as this routine's turn says. */
#define CALL(WHAT, PERSISTENT, ...)                                      \
    for (int time = 0; time < 1 + routines % 3; ++time, ++calls) {       \
        MPI_Request request = MPI_REQUEST_NULL;                          \
        fill(&call, comm, peers);                                        \
        __VA_ARGS__;                                                     \
        if (request != MPI_REQUEST_NULL) complete(&request, PERSISTENT); \
        check(&call, sources, blocks, WHAT);                             \
    }                                                                    \
    ++routines

#define EQUAL call.send, block, MPI_INT, call.receive, block, MPI_INT, comm
#define UNEQUAL call.send, call.counts, call.places, MPI_INT, call.receive, call.counts, call.places, MPI_INT, comm
#define TYPED(PLACES) \
    call.send, call.counts, call.PLACES, call.types, call.receive, call.counts, call.PLACES, call.types, comm
#define LARGE_UNEQUAL                                                                                             \
    call.send, call.large_counts, call.large_places, MPI_INT, call.receive, call.large_counts, call.large_places, \
        MPI_INT, comm
#define LARGE_TYPED                                                                                 \
    call.send, call.large_counts, call.address_places, call.types, call.receive, call.large_counts, \
        call.address_places, call.types, comm

/* Every kind of an all-to-all, always in this order: the names behind MPI_ of the routine for equal messages and of the
 * one that does not wait, and the places for types of their own. */
#define KINDS_OF_ALL(PLAIN, IMMEDIATE, PLACES)                             \
    CALL("MPI_" #PLAIN, 0, MPI_##PLAIN(EQUAL));                            \
    CALL("MPI_" #PLAIN "v", 0, MPI_##PLAIN##v(UNEQUAL));                   \
    CALL("MPI_" #PLAIN "w", 0, MPI_##PLAIN##w(TYPED(PLACES)));             \
    CALL("MPI_" #IMMEDIATE, 0, MPI_##IMMEDIATE(EQUAL, &request));          \
    CALL("MPI_" #IMMEDIATE "v", 0, MPI_##IMMEDIATE##v(UNEQUAL, &request)); \
    CALL("MPI_" #IMMEDIATE "w", 0, MPI_##IMMEDIATE##w(TYPED(PLACES), &request))
#if AAPC_MPI_HAS_PERSISTENT
#define PERSISTENT_KINDS(PLAIN, PLACES)                                                     \
    CALL("MPI_" #PLAIN "_init", 1, MPI_##PLAIN##_init(EQUAL, MPI_INFO_NULL, &request));     \
    CALL("MPI_" #PLAIN "v_init", 1, MPI_##PLAIN##v_init(UNEQUAL, MPI_INFO_NULL, &request)); \
    CALL("MPI_" #PLAIN "w_init", 1, MPI_##PLAIN##w_init(TYPED(PLACES), MPI_INFO_NULL, &request))
#else
#define PERSISTENT_KINDS(PLAIN, PLACES) (void)0
#endif
#if AAPC_MPI_HAS_LARGE_COUNTS
#define LARGE_KINDS(PLAIN, IMMEDIATE)                                                                 \
    CALL("MPI_" #PLAIN "_c", 0, MPI_##PLAIN##_c(EQUAL));                                              \
    CALL("MPI_" #PLAIN "v_c", 0, MPI_##PLAIN##v_c(LARGE_UNEQUAL));                                    \
    CALL("MPI_" #PLAIN "w_c", 0, MPI_##PLAIN##w_c(LARGE_TYPED));                                      \
    CALL("MPI_" #IMMEDIATE "_c", 0, MPI_##IMMEDIATE##_c(EQUAL, &request));                            \
    CALL("MPI_" #IMMEDIATE "v_c", 0, MPI_##IMMEDIATE##v_c(LARGE_UNEQUAL, &request));                  \
    CALL("MPI_" #IMMEDIATE "w_c", 0, MPI_##IMMEDIATE##w_c(LARGE_TYPED, &request));                    \
    CALL("MPI_" #PLAIN "_init_c", 1, MPI_##PLAIN##_init_c(EQUAL, MPI_INFO_NULL, &request));           \
    CALL("MPI_" #PLAIN "v_init_c", 1, MPI_##PLAIN##v_init_c(LARGE_UNEQUAL, MPI_INFO_NULL, &request)); \
    CALL("MPI_" #PLAIN "w_init_c", 1, MPI_##PLAIN##w_init_c(LARGE_TYPED, MPI_INFO_NULL, &request))
#else
#define LARGE_KINDS(PLAIN, IMMEDIATE) (void)0
#endif

static void among_all(MPI_Comm comm, int peers, const int* sources, const int* blocks) {
    static Call call;
    KINDS_OF_ALL(Alltoall, Ialltoall, byte_places);
    PERSISTENT_KINDS(Alltoall, byte_places);
    LARGE_KINDS(Alltoall, Ialltoall);
}

static void among_neighbours(MPI_Comm comm, int peers, const int* sources, const int* blocks) {
    static Call call;
    KINDS_OF_ALL(Neighbor_alltoall, Ineighbor_alltoall, address_places);
    PERSISTENT_KINDS(Neighbor_alltoall, address_places);
    LARGE_KINDS(Neighbor_alltoall, Ineighbor_alltoall);
}

/* What the MPI complains about is counted, and its bytes are not looked at. */
static void complain(MPI_Comm comm) {
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    if (MPI_Alltoallw(NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, MPI_COMM_NULL) == MPI_SUCCESS) fail("no error");
}

int main(int argc, char** argv) {
    int ranks = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks < 3 || ranks > most_ranks) MPI_Abort(MPI_COMM_WORLD, 2);

    int sources[most_ranks];
    int blocks[most_ranks];
    for (int peer = 0; peer < ranks; ++peer) {
        sources[peer] = peer;
        blocks[peer] = rank;
    }
    among_all(MPI_COMM_WORLD, ranks, sources, blocks);

    MPI_Comm ring = MPI_COMM_NULL;
    const int periodic = 1;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &periodic, 0, &ring);
    const int neighbours[2] = {(rank + ranks - 1) % ranks, (rank + 1) % ranks};
    const int from_neighbours[2] = {1, 0};
    among_neighbours(ring, 2, neighbours, from_neighbours);
    MPI_Comm_free(&ring);

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    complain(MPI_COMM_WORLD);
    ++calls;

    enum { large = 10000 };
    char* data = calloc((size_t)ranks * 2, large);
    if (data == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Alltoall(data, large, MPI_CHAR, data + (size_t)ranks * large, large, MPI_CHAR, MPI_COMM_WORLD);
    free(data);

    if (rank == 0) printf("%d calls exchanged, %ld passed through\n", ranks, calls * ranks);
    MPI_Finalize();
    return 0;
}
