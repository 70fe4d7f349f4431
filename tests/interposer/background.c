/* Calls that do not block, many at a time, checked to the byte: an MPI program that knows nothing of aapc but how many
 * of its calls an interposer with AAPC_ASYNC_PROGRESS=1 should take over.
 *
 *     background MODE
 *
 * orders     calls on four communicators, begun in another order on each rank and waited for in yet another one, while
 *            the program's own collectives and messages go on; datatypes freed at once, communicators while calls are
 *            under way, and what is begun is tested, waited for one by one, some of it and all of it
 * sleep      no rank calls MPI between the beginning of a call and its end, and yet its data come
 * restart    persistent calls, started together and again and again with other data (where the MPI has them)
 * typeless   ranks 0 and 1 have nothing for each other, and rank 0 no datatype for that, which MPICH lets pass
 * signals    a handler of the program's runs in the program's thread */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { most_ranks = 8, lanes = 4, integers = 2000, rounds = 12, nap_milliseconds = 10, most_naps = 10000 };

static int rank;
static int ranks;
static long exchanged;

static void fail(const char* what, int round, int lane) {
    fprintf(stderr, "background: rank %d, round %d, lane %d: %s\n", rank, round, lane, what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* One communicator's calls. Values name round, lane, source and destination by their ranks in the communicator. */
typedef struct {
    MPI_Comm comm;
    int peers;
    int mine;
    int unequal;
    int counts[most_ranks];
    int sends[most_ranks];
    int places[most_ranks];
    int* send;
    int* receive;
    MPI_Request request;
} Lane;

static int value(int round, int lane, int source, int destination, int i) {
    return (((round * lanes + lane) * most_ranks + source) * most_ranks + destination) * 1000 + i % 1000;
}

/* What `source` has for `destination`; without a demand that differs from pair to pair. */
static int count_between(const Lane* lane, int source, int destination) {
    return lane->unequal ? integers / 4 * ((source + 2 * destination) % 5) : integers;
}

static Lane new_lane(MPI_Comm comm, int unequal) {
    Lane lane = {.comm = comm, .unequal = unequal, .request = MPI_REQUEST_NULL};
    MPI_Comm_size(comm, &lane.peers);
    MPI_Comm_rank(comm, &lane.mine);
    for (int peer = 0; peer < lane.peers; ++peer) {
        lane.sends[peer] = count_between(&lane, lane.mine, peer);
        lane.counts[peer] = count_between(&lane, peer, lane.mine);
        lane.places[peer] = integers * peer;
    }
    lane.send = malloc(sizeof(int) * integers * (size_t)lane.peers);
    lane.receive = malloc(sizeof(int) * integers * (size_t)lane.peers);
    return lane;
}

static void fill(Lane* lane, int round, int which) {
    for (int peer = 0; peer < lane->peers; ++peer) {
        for (int i = 0; i < integers; ++i) {
            lane->send[integers * peer + i] = value(round, which, lane->mine, peer, i);
            lane->receive[integers * peer + i] = -1;
        }
    }
}

static void begin(Lane* lane, int round, int which) {
    fill(lane, round, which);
    /* Freed before the call is through. */
    MPI_Datatype element = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(1, MPI_INT, &element);
    MPI_Type_commit(&element);
    if (lane->unequal) {
        MPI_Ialltoallv(lane->send, lane->sends, lane->places, element, lane->receive, lane->counts, lane->places,
                       element, lane->comm, &lane->request);
    } else {
        MPI_Ialltoall(lane->send, integers, element, lane->receive, integers, element, lane->comm, &lane->request);
    }
    MPI_Type_free(&element);
    ++exchanged;
}

/* Of calls that are under way as well: another thread may be writing. */
static int has_all(const Lane* lane, int round, int which) {
    const volatile int* const receive = lane->receive;
    for (int peer = 0; peer < lane->peers; ++peer) {
        for (int i = 0; i < integers; ++i) {
            const int expected = i < lane->counts[peer] ? value(round, which, peer, lane->mine, i) : -1;
            if (receive[integers * peer + i] != expected) return 0;
        }
    }
    return 1;
}

static void check(const Lane* lane, int round, int which) {
    if (!has_all(lane, round, which)) fail("wrong data", round, which);
}

static void finish(Lane lane[], int round) {
    MPI_Request requests[lanes];
    for (int which = 0; which < lanes; ++which) requests[which] = lane[which].request;
    int done = 0;
    int index = 0;
    int indices[lanes];
    MPI_Status statuses[lanes];
    switch (round % 4) {
        case 0:
            MPI_Waitall(lanes, requests, statuses);
            break;
        case 1:
            for (int left = lanes; left > 0; --left) MPI_Waitany(lanes, requests, &index, MPI_STATUS_IGNORE);
            break;
        case 2:
            for (int left = lanes; left > 0; left -= done) MPI_Waitsome(lanes, requests, &done, indices, statuses);
            break;
        default:
            while (!done) {
                MPI_Testall(lanes, requests, &done, statuses);
                usleep(100);
            }
    }
    for (int which = 0; which < lanes; ++which) {
        if (requests[which] != MPI_REQUEST_NULL) fail("a request that is complete is left", round, which);
        check(&lane[which], round, which);
    }
}

/* What the program does meanwhile. */
static void go_on(MPI_Comm comm, int round) {
    int sum = 0;
    const int one = 1;
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    int there = 0;
    MPI_Comm_size(comm, &there);
    if (sum != there) fail("a collective of the program's is wrong", round, 0);
    const int to = (rank + 1) % ranks;
    const int from = (rank + ranks - 1) % ranks;
    int got = -1;
    MPI_Sendrecv(&rank, 1, MPI_INT, to, round, &got, 1, MPI_INT, from, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (got != from) fail("a message of the program's is wrong", round, 0);
    MPI_Comm duplicate = MPI_COMM_NULL;
    MPI_Comm_dup(comm, &duplicate);
    MPI_Comm_free(&duplicate);
}

static void check_orders(void) {
    MPI_Comm comms[lanes];
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[0]);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comms[1]);
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[2]);
    comms[3] = MPI_COMM_WORLD;
    Lane lane[lanes];
    for (int which = 0; which < lanes; ++which) lane[which] = new_lane(comms[which], which % 2);
    for (int round = 0; round < rounds; ++round) {
        for (int step = 0; step < lanes; ++step) {
            const int which = (step + rank + round) % lanes;
            begin(&lane[which], round, which);
        }
        go_on(comms[round % lanes], round);
        finish(lane, round);
    }
    /* Several on one communicator, which is freed while they are under way. */
    MPI_Comm brief = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &brief);
    Lane several[lanes];
    for (int which = 0; which < lanes; ++which) {
        several[which] = new_lane(brief, which % 2);
        begin(&several[which], rounds, which);
    }
    MPI_Comm_free(&brief);
    finish(several, rounds);
    for (int which = 0; which < lanes; ++which) {
        free(several[which].send);
        free(several[which].receive);
        free(lane[which].send);
        free(lane[which].receive);
        if (comms[which] != MPI_COMM_WORLD) MPI_Comm_free(&comms[which]);
    }
}

static void check_sleep(void) {
    Lane lane = new_lane(MPI_COMM_WORLD, 0);
    /* The first call makes connections and what our thread needs. */
    begin(&lane, 0, 0);
    MPI_Wait(&lane.request, MPI_STATUS_IGNORE);
    check(&lane, 0, 0);
    for (int round = 1; round < 3; ++round) {
        MPI_Barrier(MPI_COMM_WORLD);
        begin(&lane, round, 0);
        /* Without a look into MPI; where cores are crowded it takes seconds. */
        int naps = 0;
        while (!has_all(&lane, round, 0) && naps < most_naps) {
            usleep(1000 * nap_milliseconds);
            ++naps;
        }
        check(&lane, round, 0);
        MPI_Wait(&lane.request, MPI_STATUS_IGNORE);
    }
    free(lane.send);
    free(lane.receive);
}

#if AAPC_MPI_HAS_PERSISTENT
static void check_restart(void) {
    MPI_Comm duplicate = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &duplicate);
    Lane lane[lanes];
    MPI_Request requests[lanes];
    for (int which = 0; which < lanes; ++which) {
        lane[which] = new_lane(which < 2 ? MPI_COMM_WORLD : duplicate, which % 2);
        MPI_Datatype element = MPI_DATATYPE_NULL;
        MPI_Type_contiguous(1, MPI_INT, &element);
        MPI_Type_commit(&element);
        Lane* mine = &lane[which];
        if (mine->unequal) {
            MPI_Alltoallv_init(mine->send, mine->sends, mine->places, element, mine->receive, mine->counts,
                               mine->places, element, mine->comm, MPI_INFO_NULL, &requests[which]);
        } else {
            MPI_Alltoall_init(mine->send, integers, element, mine->receive, integers, element, mine->comm,
                              MPI_INFO_NULL, &requests[which]);
        }
        MPI_Type_free(&element);
    }
    /* One of the program's own among them. */
    int sent = 0;
    int received = 0;
    MPI_Request own[2];
    MPI_Status statuses[lanes];
    MPI_Send_init(&sent, 1, MPI_INT, (rank + 1) % ranks, 3, MPI_COMM_WORLD, &own[0]);
    MPI_Recv_init(&received, 1, MPI_INT, (rank + ranks - 1) % ranks, 3, MPI_COMM_WORLD, &own[1]);
    for (int round = 0; round < rounds; ++round) {
        for (int which = 0; which < lanes; ++which) fill(&lane[which], round, which);
        sent = 100 * round + rank;
        MPI_Startall(2, own);
        if (round % 2 == 0) {
            MPI_Startall(lanes, requests);
        } else {
            for (int which = 0; which < lanes; ++which) MPI_Start(&requests[which]);
        }
        exchanged += lanes;
        MPI_Waitall(2, own, statuses);
        if (received != 100 * round + (rank + ranks - 1) % ranks) fail("a message of the program's is wrong", round, 0);
        MPI_Waitall(lanes, requests, statuses);
        for (int which = 0; which < lanes; ++which) check(&lane[which], round, which);
    }
    MPI_Request_free(&own[0]);
    MPI_Request_free(&own[1]);
    for (int which = 0; which < lanes; ++which) {
        MPI_Request_free(&requests[which]);
        free(lane[which].send);
        free(lane[which].receive);
    }
    MPI_Comm_free(&duplicate);
}
#endif

static void check_typeless(void) {
    int send[most_ranks];
    int receive[most_ranks];
    int counts[most_ranks];
    int places[most_ranks];
    MPI_Datatype types[most_ranks];
    for (int peer = 0; peer < ranks; ++peer) {
        const int nothing = rank + peer == 1;
        send[peer] = 100 * rank + peer;
        receive[peer] = -1;
        counts[peer] = nothing ? 0 : 1;
        places[peer] = peer * (int)sizeof(int);
        types[peer] = nothing && rank == 0 ? MPI_DATATYPE_NULL : MPI_INT;
    }
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ialltoallw(send, counts, places, types, receive, counts, places, types, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int peer = 0; peer < ranks; ++peer) {
        if (receive[peer] != (counts[peer] == 0 ? -1 : 100 * peer + rank)) fail("wrong data", 0, peer);
    }
}

static pthread_t main_thread;
static volatile sig_atomic_t handled;
static volatile sig_atomic_t astray;

static void on_signal(int number) {
    (void)number;
    handled = 1;
    if (!pthread_equal(pthread_self(), main_thread)) astray = 1;
}

static void check_signals(void) {
    main_thread = pthread_self();
    signal(SIGUSR1, on_signal);
    Lane lane = new_lane(MPI_COMM_WORLD, 0);
    for (int round = 0; round < 5; ++round) {
        begin(&lane, round, 0);
        handled = 0;
        kill(getpid(), SIGUSR1);
        while (!handled) usleep(100);
        MPI_Wait(&lane.request, MPI_STATUS_IGNORE);
        check(&lane, round, 0);
    }
    if (astray) fail("a signal was handled in another thread", 0, 0);
    free(lane.send);
    free(lane.receive);
}

int main(int argc, char** argv) {
    if (argc != 2) return 2;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks < 3 || ranks > most_ranks) MPI_Abort(MPI_COMM_WORLD, 2);
    if (strcmp(argv[1], "orders") == 0) {
        check_orders();
    } else if (strcmp(argv[1], "sleep") == 0) {
        check_sleep();
    } else if (strcmp(argv[1], "typeless") == 0) {
        check_typeless();
    } else if (strcmp(argv[1], "signals") == 0) {
        check_signals();
    } else {
#if AAPC_MPI_HAS_PERSISTENT
        check_restart();
#endif
    }
    if (rank == 0) printf("%ld calls exchanged, 0 passed through\n", exchanged * ranks);
    MPI_Finalize();
    return 0;
}
