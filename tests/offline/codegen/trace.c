/* Shows what a generated MPI_Alltoall does when: one exchange, in which every send is held up for a while of its own,
 * then a line `RANK WHAT PEER TAG BYTES SECONDS` for everything that is not a token, in the order of each rank. WHAT is
 * `s` for the start of a send, `S` when the routine learns that it is locally complete, `r` and `R` likewise for a
 * receive, `c` for the call, which is the first.
 *
 * usage: trace BYTES LONGEST_DELAY_IN_MICROSECONDS */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MOST_EVENTS 16384
#define MOST_OPEN 4096

struct event {
    double seconds; /* on a clock that all ranks share, since they share the machine */
    int what;
    int peer;
    int tag;
    int bytes;
};

/* Something that was started; the routine tests its requests where they stand, so their addresses tell them apart. */
struct open {
    const MPI_Request* request;
    struct event event;
};

static struct event events[MOST_EVENTS];
static int number_of_events;
static struct open open[MOST_OPEN];
static int number_of_open;
static int tracing;
static long longest_delay;
static unsigned random_state;

static double now(void) {
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void record(struct event event) {
    if (number_of_events == MOST_EVENTS) {
        fprintf(stderr, "trace: too many events\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    event.seconds = now();
    events[number_of_events++] = event;
}

static void start(int what, int count, MPI_Datatype type, int peer, int tag, const MPI_Request* request) {
    struct event event = {0, what, peer, tag, 0};
    int size = 0;

    if (!tracing || count == 0) {
        return;
    }
    PMPI_Type_size(type, &size);
    event.bytes = size * count;
    record(event);
    if (number_of_open == MOST_OPEN) {
        fprintf(stderr, "trace: too many requests\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    open[number_of_open].request = request;
    open[number_of_open].event = event;
    ++number_of_open;
}

static void complete(const MPI_Request* request) {
    for (int i = 0; i < number_of_open; ++i) {
        if (open[i].request == request) {
            open[i].event.what = open[i].event.what == 's' ? 'S' : 'R';
            record(open[i].event);
            open[i] = open[--number_of_open];
            return;
        }
    }
}

int MPI_Isend(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request) {
    if (tracing && count > 0 && longest_delay > 0) {
        struct timespec delay = {0, 0};

        random_state = random_state * 1664525u + 1013904223u;
        delay.tv_nsec = (long)(random_state >> 8) % longest_delay * 1000;
        nanosleep(&delay, NULL);
    }
    start('s', count, type, to, tag, request);
    return PMPI_Isend(buffer, count, type, to, tag, comm, request);
}

int MPI_Irecv(void* buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request* request) {
    start('r', count, type, from, tag, request);
    return PMPI_Irecv(buffer, count, type, from, tag, comm, request);
}

int MPI_Testsome(int number, MPI_Request* requests, int* completed, int* indices, MPI_Status* statuses) {
    const int error = PMPI_Testsome(number, requests, completed, indices, statuses);

    if (*completed != MPI_UNDEFINED) {
        for (int i = 0; i < *completed; ++i) {
            complete(&requests[indices[i]]);
        }
    }
    return error;
}

static void print_events(int rank, int ranks) {
    for (int turn = 0; turn < ranks; ++turn) {
        if (rank == 0) {
            if (turn > 0) {
                MPI_Recv(&number_of_events, 1, MPI_INT, turn, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                MPI_Recv(events, (int)sizeof events, MPI_BYTE, turn, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            }
            for (int i = 0; i < number_of_events; ++i) {
                printf("%d %c %d %d %d %.9f\n", turn, events[i].what, events[i].peer, events[i].tag, events[i].bytes,
                       events[i].seconds);
            }
        } else if (rank == turn) {
            MPI_Send(&number_of_events, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
            MPI_Send(events, number_of_events * (int)sizeof *events, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
        }
    }
}

int main(int argc, char** argv) {
    const int bytes = argc > 1 ? atoi(argv[1]) : 0;
    const struct event call = {0, 'c', 0, 0, bytes};
    int rank, ranks;
    char *out, *in;

    longest_delay = argc > 2 ? atol(argv[2]) : 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    random_state = (unsigned)rank * 7919u;
    out = calloc((size_t)ranks, (size_t)bytes);
    in = calloc((size_t)ranks, (size_t)bytes);
    if (out == NULL || in == NULL) {
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    tracing = 1;
    record(call);
    MPI_Alltoall(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, MPI_COMM_WORLD);
    tracing = 0;
    print_events(rank, ranks);
    free(out);
    free(in);
    MPI_Finalize();
    return 0;
}
