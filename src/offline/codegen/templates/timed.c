#include "values.h"
#include "head.h"
#include "settings.h"
#include "timed_settings.h"
#include "machines.h"
#include "partners.h"

#if TEMPLATE_CYCLE
/* Row r, column s: the tick of the s-th message that rank r sends. */
#else
/* Row r, column s: the phase of the s-th message that rank r sends. */
#endif
static const TEMPLATE_PHASE_TYPE aapc_send_phase[AAPC_RANKS][AAPC_PARTNERS] = {
    TEMPLATE_SEND_PHASE,
};

/* Where the requests of an exchange stand in the array of all requests. */
#define AAPC_RECEIVES 0
#define AAPC_SENDS (AAPC_RECEIVES + AAPC_WINDOW_REQUESTS)
#define AAPC_REQUESTS (AAPC_SENDS + AAPC_WINDOW_REQUESTS)

#include "communicator.h"
#include "waiting.h"
#include "blocks.h"
#include "byte_blocks.h"

/* The common start: returns when all ranks have come, and sets *ready to 0 if one of them is not ready. */
static int aapc_start_together(struct aapc_communicator *c, int *ready)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int done = 0;
    int error = MPI_Iallreduce(MPI_IN_PLACE, ready, 1, MPI_INT, MPI_MIN, c->own, &request);

    while (error == MPI_SUCCESS && !done) {
        error = MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        aapc_be_patient(c, done);
    }
    return error;
}

#if TEMPLATE_CYCLE
/* How long a tick is for segments of that length. */
#else
/* Seconds that a segment has its links for itself. */
#endif
static double aapc_slot_seconds(size_t segment_bytes)
{
    const size_t payload = segment_bytes + AAPC_MESSAGE_HEADER;
    const size_t frames = (payload + AAPC_PAYLOAD_PER_FRAME - 1) / AAPC_PAYLOAD_PER_FRAME;
    const size_t wire_bytes = payload + frames * (AAPC_FRAME_OVERHEAD + AAPC_ACKNOWLEDGEMENT_PER_FRAME);

    return (double)wire_bytes * AAPC_SLOT_SECONDS_PER_BYTE / AAPC_PACE;
}

/* How far an exchange has come. */
struct aapc_exchange {
    struct aapc_communicator *c;
    const struct aapc_blocks *blocks;
    size_t bytes;         /* of a message */
    size_t segments;      /* of a message, which is the number of rounds */
    double slot;          /* seconds, in all rounds but the last */
    double last_slot;     /* in the last round, whose segments may be shorter */
    size_t rounds_posted; /* rounds whose receives were posted */
    size_t rounds_done;   /* rounds whose receives are complete, as are those of all rounds before */
    size_t sends_started; /* in the order in which they are due: by round, then by phase */
    size_t sends_done;
    int receives_open[AAPC_WINDOW]; /* of round k: at k % AAPC_WINDOW */
};

static size_t aapc_segment_length(const struct aapc_exchange *x, size_t segment)
{
    const size_t rest = x->bytes - segment * AAPC_SEGMENT_BYTES;

    return rest < AAPC_SEGMENT_BYTES ? rest : AAPC_SEGMENT_BYTES;
}

/* Posts the receives of the next round. Rounds are posted in order, so the segments of one sender, which arrive in
 * order, find their places. */
static int aapc_post_round(struct aapc_exchange *x)
{
    const size_t round = x->rounds_posted;
    const int row = (int)(round % AAPC_WINDOW);
    const size_t length = aapc_segment_length(x, round);
    int error = MPI_SUCCESS;

    for (int step = 0; step < AAPC_PARTNERS && error == MPI_SUCCESS; ++step) {
        const int from = aapc_receive_from[x->c->rank][step];

        error =
            MPI_Irecv(x->blocks->incoming + (size_t)from * x->bytes + round * AAPC_SEGMENT_BYTES, (int)length, MPI_BYTE,
                      from, AAPC_MESSAGE_TAG, x->c->own, &x->c->requests[AAPC_RECEIVES + row * AAPC_PARTNERS + step]);
    }
    x->receives_open[row] = AAPC_PARTNERS;
    ++x->rounds_posted;
    return error;
}

/* Where the request of the next send stands. */
static MPI_Request *aapc_next_send_request(const struct aapc_exchange *x)
{
    return &x->c->requests[AAPC_SENDS + (int)(x->sends_started % AAPC_WINDOW_REQUESTS)];
}

/* Starts the next send. */
static int aapc_send_segment(struct aapc_exchange *x)
{
    const size_t round = x->sends_started / AAPC_PARTNERS;
    const int to = aapc_send_to[x->c->rank][x->sends_started % AAPC_PARTNERS];
    const size_t length = aapc_segment_length(x, round);
    MPI_Request *const request = aapc_next_send_request(x);

    ++x->sends_started;
    return MPI_Isend(x->blocks->outgoing + (size_t)to * x->bytes + round * AAPC_SEGMENT_BYTES, (int)length, MPI_BYTE,
                     to, AAPC_MESSAGE_TAG, x->c->own, request);
}

/* When the next send is due, in seconds after the common start. */
static double aapc_next_due(const struct aapc_exchange *x)
{
    const size_t round = x->sends_started / AAPC_PARTNERS;
    const double phase = (double)aapc_send_phase[x->c->rank][x->sends_started % AAPC_PARTNERS];

    return (double)round * AAPC_PHASES * x->slot + phase * (round + 1 == x->segments ? x->last_slot : x->slot);
}

/* Tests everything that is under way and posts the next round when the oldest one is complete. */
static int aapc_progress(struct aapc_exchange *x, int *count)
{
    int error = aapc_test(x->c, count);

    for (int i = 0; i < *count && error == MPI_SUCCESS; ++i) {
        if (x->c->completed[i] < AAPC_SENDS) {
            --x->receives_open[(x->c->completed[i] - AAPC_RECEIVES) / AAPC_PARTNERS];
        } else {
            ++x->sends_done;
        }
    }
    while (error == MPI_SUCCESS && x->rounds_done < x->rounds_posted &&
           x->receives_open[x->rounds_done % AAPC_WINDOW] == 0) {
        ++x->rounds_done;
        if (x->rounds_posted < x->segments) {
            error = aapc_post_round(x);
        }
    }
    return error;
}

/* Sends every segment when it is due and receives what comes, until all is done. Nobody waits for a turn: a rank that
 * is late, or a network that is slower than it should be, costs time but cannot stop the exchange. After an error,
 * requests may be left over, as is usual with MPI. */
static int aapc_run(struct aapc_exchange *x)
{
    const size_t sends = x->segments * AAPC_PARTNERS;
    const double start = MPI_Wtime();
    int error = MPI_SUCCESS;

    while ((x->rounds_done < x->segments || x->sends_done < sends) && error == MPI_SUCCESS) {
        double nap = AAPC_LONGEST_NAP_SECONDS;
        int count = 0;

        while (x->sends_started < sends && *aapc_next_send_request(x) == MPI_REQUEST_NULL && error == MPI_SUCCESS) {
            const double rest = start + aapc_next_due(x) - MPI_Wtime();

            if (rest > 0) {
                nap = rest < nap ? rest : nap;
                break;
            }
            error = aapc_send_segment(x);
        }
        if (error == MPI_SUCCESS) {
            error = aapc_progress(x, &count);
        }
        if (count == 0 && nap > AAPC_SHORTEST_NAP_SECONDS) {
            aapc_nap(nap);
        }
    }
    return error;
}

/* The exchange of all blocks but a rank's own, after the common start. */
static int aapc_exchange(struct aapc_communicator *c, const struct aapc_blocks *blocks, size_t bytes)
{
    struct aapc_exchange x = {.c = c, .blocks = blocks, .bytes = bytes};
    int error = MPI_SUCCESS;

    x.segments = (bytes + AAPC_SEGMENT_BYTES - 1) / AAPC_SEGMENT_BYTES;
    x.slot = aapc_slot_seconds(aapc_segment_length(&x, 0));
    x.last_slot = aapc_slot_seconds(aapc_segment_length(&x, x.segments - 1));
    while (x.rounds_posted < AAPC_WINDOW && x.rounds_posted < x.segments && error == MPI_SUCCESS) {
        error = aapc_post_round(&x);
    }
    return error == MPI_SUCCESS ? aapc_run(&x) : error;
}

/* AAPC_NOT_SERVED, on all ranks alike and before anything is exchanged, if one of them lacks the memory for copies. */
static int aapc_alltoall(struct aapc_communicator *c, const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                         void *recvbuf, int recvcount, MPI_Datatype recvtype, size_t bytes)
{
    struct aapc_blocks blocks;
    int error = aapc_prepare(c, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, bytes, &blocks);
    int ready = error == MPI_SUCCESS;

    error = aapc_start_together(c, &ready);
    if (error == MPI_SUCCESS && ready) {
        error = aapc_exchange(c, &blocks, bytes);
    }
    if (error == MPI_SUCCESS && ready) {
        error = aapc_unpack(c, &blocks, bytes, recvbuf, recvcount, recvtype);
    }
    if (error == MPI_SUCCESS) { /* otherwise they may still be sent from or received to */
        aapc_free_copies(&blocks);
    }
    return error == MPI_SUCCESS && !ready ? AAPC_NOT_SERVED : error;
}

#include "entry.h"
