/* MPI_Alltoallv and MPI_Alltoallw, checked to the byte against what every rank knows of every message: an MPI program
 * that knows nothing of aapc but which of its calls an interposer should take over.
 *
 *     unequal MODE SEED CALLS
 *
 * random      CALLS calls of random lengths, places, datatypes and communicators; each that has anything to say to
 *             another rank is to be exchanged on three ranks or more
 * far         places beyond 2^31 bytes
 * odd         lengths that differ between sender and receiver, wrong arguments, an intercommunicator: passed through
 * patience    by size: long calls are exchanged, short ones are not, and many short ones in a row are not asked about
 * unasked     CALLS calls, all passed through, some of them of another size, to some of which a rank comes late, and
 *             some of which one rank's description is beyond 64 bits
 *
 * Run it again with the same SEED to see the same calls. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "immediate.h"
#include "layouts.h"

enum { most_ranks = 8, unit_integers = 4, unit_bytes = 16 };

static long exchanged;
static long passed_through;

static uint64_t mixed(uint64_t x) {
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* The same on all ranks. */
static unsigned chance(uint64_t seed, unsigned call, unsigned what, unsigned one, unsigned other, unsigned limit) {
    return (unsigned)(mixed(seed ^ mixed(call ^ mixed(what ^ mixed((uint64_t)one << 32 | other)))) % limit);
}

/* Which units rank `from` has for rank `to`: even, random, mostly none, with a hot receiver, rows and columns of none.
 */
static int units_between(uint64_t seed, unsigned call, int symmetric, int from, int to) {
    const unsigned pattern = chance(seed, call, 1, 0, 0, 6);
    const int low = symmetric && to < from ? to : from;
    const int high = symmetric && to < from ? from : to;
    const unsigned length = chance(seed, call, 2, (unsigned)low, (unsigned)high, 400);
    switch (pattern) {
        case 0:
            return 50;
        case 1:
            return (int)length;
        case 2:
            return length < 320 ? 0 : (int)length;
        case 3:
            return symmetric ? 3 : to == 1 ? 1500 : (int)length % 7;
        case 4:
            return symmetric ? (int)length : from == 0 || to == 2 ? 0 : (int)length;
        default:
            return call % 5 == 0 ? 0 : 1 + (int)length % 3;
    }
}

/* One side of a call: its messages, each some units of a datatype's, in one buffer. */
typedef struct {
    Layout layouts[most_ranks]; /* of a unit, by the other rank */
    int one_type;               /* MPI_Alltoallv's: the first layout is for all */
    int units[most_ranks];
    long base[most_ranks]; /* of a message's first unit, in bytes */
    int counts[most_ranks];
    int places[most_ranks];
    MPI_Datatype types[most_ranks];
    unsigned char* buffer;
    size_t size;
} Side;

static const Layout* layout_of(const Side* side, int peer) { return &side->layouts[side->one_type ? 0 : peer]; }

static Side new_side(int ranks, const int* units, int one_type, unsigned kinds) {
    Side side;
    memset(&side, 0, sizeof side);
    side.one_type = one_type;
    int total = 0;
    for (int peer = 0; peer < ranks; ++peer) {
        side.units[peer] = units[peer];
        total += units[peer] + 2;
    }
    long end = 0;
    int first = 0;
    if (one_type) side.layouts[0] = integer_layout((int)(kinds % layout_kinds), unit_integers, total);
    /* The last rank's message comes first, with a gap of two units behind each. */
    for (int peer = ranks - 1; peer >= 0; --peer) {
        if (!one_type) {
            side.layouts[peer] =
                integer_layout((int)((kinds + (unsigned)peer * 5) % layout_kinds), unit_integers, units[peer] + 2);
        }
        const Layout* layout = layout_of(&side, peer);
        side.types[peer] = layout->type;
        side.counts[peer] = units[peer] * layout->count;
        if (one_type) {
            side.base[peer] = first * layout->stride;
            side.places[peer] = first * layout->count;
            first += units[peer] + 2;
        } else {
            side.base[peer] = end + 64;
            side.places[peer] = (int)side.base[peer];
            end += 64 + (layout->stride + 2 * unit_bytes + 16) * (units[peer] + 2);
            end += -end & 15;
        }
    }
    if (one_type) end = (layout_of(&side, 0)->stride + 2 * unit_bytes) * total;
    side.size = (size_t)end + 2 * guard_bytes;
    side.buffer = malloc(side.size);
    if (side.buffer == NULL) fail("no memory");
    memset(side.buffer, untouched, side.size);
    return side;
}

static void free_side(Side* side, int ranks) {
    free(side->buffer);
    for (int peer = 0; peer < (side->one_type ? 1 : ranks); ++peer) free_layout(&side->layouts[peer]);
}

/* Message `peer`, from rank `source` to rank `destination`, in its place. */
static void write_message(const Side* side, unsigned char* buffer, int peer, int source, int destination,
                          unsigned call) {
    const Layout* layout = layout_of(side, peer);
    for (long i = 0; i < (long)side->units[peer] * unit_bytes; ++i) {
        buffer[guard_bytes + side->base[peer] + i / unit_bytes * layout->stride + layout->place[i % unit_bytes]] =
            payload(source, destination, i, call);
    }
}

static void check_call(MPI_Comm comm, uint64_t seed, unsigned call) {
    int rank = 0;
    int ranks = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    const int of_types = (int)chance(seed, call, 3, 0, 0, 2);
    /* MPICH 4.0.2's own calls that do not block are wrong in place. */
    const int in_place = chance(seed, call, 4, 0, 0, 4) == 0 && (ranks >= 3 || !does_not_block);
    int sent[most_ranks];
    int received[most_ranks];
    long between = 0;
    for (int from = 0; from < ranks; ++from) {
        for (int to = 0; to < ranks; ++to) {
            const int units = units_between(seed, call, in_place, from, to);
            if (from == rank) sent[to] = units;
            if (to == rank) received[from] = units;
            if (from != to) between += units;
        }
    }
    /* Datatypes are each rank's own affair. */
    Side send = new_side(ranks, sent, !of_types, chance(seed, call, 5, (unsigned)rank, 0, 1000));
    Side receive = new_side(ranks, received, !of_types, chance(seed, call, 6, (unsigned)rank, 0, 1000));
    unsigned char* expected = malloc(receive.size);
    unsigned char* before = malloc(send.size);
    memset(expected, untouched, receive.size);
    for (int peer = 0; peer < ranks; ++peer) {
        write_message(&send, send.buffer, peer, rank, peer, call);
        if (in_place) write_message(&receive, receive.buffer, peer, rank, peer, call);
        write_message(&receive, expected, peer, peer, rank, call);
    }
    memcpy(before, send.buffer, send.size);
    const void* from = in_place ? MPI_IN_PLACE : send.buffer + guard_bytes;
    void* to = receive.buffer + guard_bytes;
    const int error = of_types ? MPI_Alltoallw(from, send.counts, send.places, send.types, to, receive.counts,
                                               receive.places, receive.types, comm)
                               : MPI_Alltoallv(from, send.counts, send.places, send.types[0], to, receive.counts,
                                               receive.places, receive.types[0], comm);
    if (error != MPI_SUCCESS) fail("call %u returned %d", call, error);
    if (memcmp(before, send.buffer, send.size) != 0) fail("call %u changed the send buffer", call);
    for (size_t i = 0; i < receive.size; ++i) {
        if (receive.buffer[i] != expected[i]) {
            fail("seed %lu, call %u, %d ranks, %s%s: byte %zu is %d, not %d", (unsigned long)seed, call, ranks,
                 of_types ? "MPI_Alltoallw" : "MPI_Alltoallv", in_place ? " in place" : "", i, receive.buffer[i],
                 expected[i]);
        }
    }
    free(expected);
    free(before);
    free_side(&send, ranks);
    free_side(&receive, ranks);
    if (ranks >= 3 && between > 0) {
        ++exchanged;
    } else {
        ++passed_through;
    }
}

static void check_random(uint64_t seed, unsigned calls) {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm reversed = MPI_COMM_NULL;
    MPI_Comm some = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
    /* Not rank 0 alone: Open MPI 4.1.4's own MPI_Alltoallw on one rank is wrong for types that differ. */
    MPI_Comm_split(MPI_COMM_WORLD, rank < 2, rank, &some);
    for (unsigned call = 0; call < calls; ++call) {
        switch (chance(seed, call, 7, 0, 0, 4)) {
            case 0:
                check_call(reversed, seed, call);
                break;
            case 1:
                check_call(some, seed, call);
                break;
            default:
                check_call(MPI_COMM_WORLD, seed, call);
        }
    }
    MPI_Comm_free(&reversed);
    MPI_Comm_free(&some);
}

/* Each rank gets one element of eight bytes from each other, 300 million elements from the start of its buffer. */
static int check_far(void) {
    int rank = 0;
    int ranks = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int first = 300000000;
    const size_t bytes = sizeof(int64_t) * ((size_t)first + most_ranks);
    int64_t* receive = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    int there = receive != MAP_FAILED;
    MPI_Allreduce(MPI_IN_PLACE, &there, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (!there) return 0;
    int counts[most_ranks];
    int from[most_ranks];
    int to[most_ranks];
    int64_t send[most_ranks];
    for (int peer = 0; peer < ranks; ++peer) {
        counts[peer] = 1;
        from[peer] = peer;
        to[peer] = first + peer;
        send[peer] = 1000 * rank + peer;
    }
    MPI_Alltoallv(send, counts, from, MPI_INT64_T, receive, counts, to, MPI_INT64_T, MPI_COMM_WORLD);
    ++exchanged;
    for (int peer = 0; peer < ranks; ++peer) {
        if (receive[first + peer] != 1000 * peer + rank) fail("far away: wrong from %d", peer);
    }
    munmap(receive, bytes);
    return 1;
}

static void expect_class(const char* what, int error, int expected) {
    int class = MPI_SUCCESS;
    MPI_Error_class(error, &class);
    if (class != expected) fail("%s: error class %d, not %d", what, class, expected);
}

static void check_odd(void) {
    int rank = 0;
    int ranks = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int send[most_ranks * 4];
    int receive[most_ranks * 4];
    int counts[most_ranks];
    int places[most_ranks];
    int expected[most_ranks];
    MPI_Datatype types[most_ranks];
    for (int i = 0; i < most_ranks * 4; ++i) send[i] = 100 * rank + i / 4;
    for (int peer = 0; peer < ranks; ++peer) {
        counts[peer] = 2;
        places[peer] = 4 * peer;
        expected[peer] = 2;
        types[peer] = MPI_INT;
    }
    /* Rank 1 has room for more than rank 0 sends. That is wrong, and MPIs let it pass. */
    if (rank == 1) expected[0] = 4;
    memset(receive, -1, sizeof receive);
    MPI_Alltoallv(send, counts, places, MPI_INT, receive, expected, places, MPI_INT, MPI_COMM_WORLD);
    ++passed_through;
    for (int peer = 0; peer < ranks; ++peer) {
        if (receive[4 * peer] != 100 * peer + rank || receive[4 * peer + 2] != -1) fail("lengths that differ");
    }

    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    counts[0] = -1;
    expect_class("negative count", MPI_Alltoallv(send, counts, places, MPI_INT, receive, counts, places, MPI_INT, comm),
                 MPI_ERR_COUNT);
    counts[0] = 2;
    types[ranks - 1] = MPI_DATATYPE_NULL;
    expect_class("no type", MPI_Alltoallw(send, counts, places, types, receive, counts, places, types, comm),
                 MPI_ERR_TYPE);
    passed_through += 2;
    MPI_Alltoallv(send, counts, places, MPI_INT, receive, counts, places, MPI_INT, comm);
    ++exchanged;
    for (int peer = 0; peer < ranks; ++peer) {
        if (receive[4 * peer] != 100 * peer + rank) fail("after an error");
    }
    MPI_Comm_free(&comm);

    const int low = rank < 1;
    MPI_Comm half = MPI_COMM_NULL;
    MPI_Comm inter = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, low, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, low ? 1 : 0, 5, &inter);
    int remote = 0;
    MPI_Comm_remote_size(inter, &remote);
    MPI_Alltoallv(send, counts, places, MPI_INT, receive, counts, places, MPI_INT, inter);
    ++passed_through;
    for (int peer = 0; peer < remote; ++peer) {
        const int source = low ? peer + 1 : 0;
        if (receive[4 * peer] != 100 * source + (low ? 0 : rank - 1)) fail("wrong on an intercommunicator");
    }
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
}

/* Every rank sends `bytes` to the next one. */
static void pass_on(int bytes, int is_exchanged) {
    int rank = 0;
    int ranks = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int sent[most_ranks] = {0};
    int received[most_ranks] = {0};
    const int places[most_ranks] = {0};
    const int from = (rank + ranks - 1) % ranks;
    sent[(rank + 1) % ranks] = bytes;
    received[from] = bytes;
    unsigned char* send = malloc((size_t)bytes);
    unsigned char* receive = malloc((size_t)bytes);
    memset(send, rank + 1, (size_t)bytes);
    MPI_Alltoallv(send, sent, places, MPI_BYTE, receive, received, places, MPI_BYTE, MPI_COMM_WORLD);
    for (int i = 0; i < bytes; ++i) {
        if (receive[i] != from + 1) fail("passed on: byte %d of %d", i, bytes);
    }
    free(send);
    free(receive);
    *(is_exchanged ? &exchanged : &passed_through) += 1;
}

/* On links of 1 Mbit/s, 60,000 bytes take half a second. */
static void check_patience(void) {
    const int large = 60000;
    const int small = 100;
    for (int round = 0; round < 2; ++round) {
        for (int call = 0; call < 3; ++call) pass_on(small, 0);
        pass_on(large, 1);
    }
    /* The first four are asked about, then every other one, then every fourth: number 4 is not, 5 is, 6 to 8 are not.
     */
    for (int call = 0; call < 4; ++call) pass_on(small, 0);
    pass_on(large, 0);
    pass_on(small, 0);
    for (int call = 6; call < 9; ++call) pass_on(call == 7 ? large : small, 0);
    pass_on(large, 1);
    pass_on(large, 1);
}

/* Every rank sends `bytes` to the next one, but for `refuser`, which has nothing for anybody, at places that nobody can
 * count. */
static void pass_on_but(int refuser, int bytes, int call) {
    int rank = 0;
    int ranks = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int sent[most_ranks] = {0};
    int received[most_ranks] = {0};
    int places[most_ranks] = {0};
    const int none[most_ranks] = {0};
    const int from = (rank + ranks - 1) % ranks;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_create_resized(MPI_BYTE, 0, rank == refuser ? (MPI_Aint)1 << 40 : 1, &type);
    MPI_Type_commit(&type);
    if (rank == refuser) {
        for (int to = 0; to < ranks; ++to) places[to] = INT32_MAX;
    } else {
        sent[(rank + 1) % ranks] = bytes;
    }
    received[from] = from == refuser ? 0 : bytes;
    unsigned char* send = malloc((size_t)bytes);
    unsigned char* receive = malloc((size_t)bytes);
    memset(send, rank + call, (size_t)bytes);
    memset(receive, 255, (size_t)bytes);
    if (call % 3 == rank) usleep(2000);
    MPI_Alltoallv(send, sent, places, type, receive, received, none, MPI_BYTE, MPI_COMM_WORLD);
    for (int i = 0; i < bytes; ++i) {
        const int expected = received[from] == 0 ? 255 : from + call;
        if (receive[i] != expected) fail("call %d: byte %d is %d, not %d", call, i, receive[i], expected);
    }
    free(send);
    free(receive);
    MPI_Type_free(&type);
    ++passed_through;
}

static void check_unasked(int calls) {
    for (int call = 0; call < calls; ++call) {
        pass_on_but(call % 11 == 1 ? call % 3 : -1, call % 7 == 5 ? 20000 : 60000, call);
    }
}

int main(int argc, char** argv) {
    if (argc != 4) return 2;
    int ranks = 0;
    int rank = 0;
    int can = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (ranks > most_ranks) MPI_Abort(MPI_COMM_WORLD, 2);
    if (strcmp(argv[1], "random") == 0) {
        check_random(strtoul(argv[2], NULL, 10), (unsigned)strtoul(argv[3], NULL, 10));
    } else if (strcmp(argv[1], "far") == 0) {
        can = check_far();
    } else if (strcmp(argv[1], "odd") == 0) {
        check_odd();
    } else if (strcmp(argv[1], "unasked") == 0) {
        check_unasked((int)strtoul(argv[3], NULL, 10));
    } else {
        check_patience();
    }
    long sums[2] = {0, 0};
    const long mine[2] = {exchanged, passed_through};
    MPI_Reduce(mine, sums, 2, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("%ld calls exchanged, %ld passed through\n", sums[0], sums[1]);
    if (!can) printf("skipped: no address space\n");
    MPI_Finalize();
    return can ? 0 : 77;
}
