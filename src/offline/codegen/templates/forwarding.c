#include "values.h"
#include "head.h"
#include "settings.h"
#include "machines.h"
#include "forwarding_tables.h"

/* Where the requests of an exchange stand in the array of all requests. */
#define AAPC_SEND 0
#if TEMPLATE_BARRIERS
#define AAPC_BARRIER 1
#endif
#define AAPC_RECEIVES 2
#define AAPC_REQUESTS (AAPC_RECEIVES + AAPC_MOST_RECEIVES)

#include "communicator.h"
#include "waiting.h"
#include "progress.h"
#if TEMPLATE_BARRIERS
#include "barrier.h"
#endif
#include "blocks.h"
#include "byte_blocks.h"

/* One exchange. */
struct aapc_exchange {
    struct aapc_communicator *c;
    const struct aapc_blocks *blocks;
    size_t bytes;   /* of a block */
    char *transit;  /* AAPC_MOST_IN_TRANSIT blocks that are to be sent on */
    char *outgoing; /* a message as it is sent: AAPC_LARGEST_MESSAGE blocks */
    char *incoming; /* the messages of a phase as they are received: AAPC_MOST_INCOMING blocks */
};

static size_t aapc_message_blocks(const struct aapc_message *message)
{
    size_t blocks = 0;

    for (int run = 0; run < (int)message->runs; ++run) {
        blocks += aapc_runs[(size_t)message->first_run + (size_t)run].blocks;
    }
    return blocks;
}

/* Collects the blocks of a message. */
static void aapc_gather(const struct aapc_exchange *x, const struct aapc_message *message, char *packed)
{
    for (int run = 0; run < (int)message->runs; ++run) {
        const struct aapc_run *const r = &aapc_runs[(size_t)message->first_run + (size_t)run];
        const char *const buffer = r->buffer == AAPC_SEND_BUFFER      ? x->blocks->outgoing
                                   : r->buffer == AAPC_RECEIVE_BUFFER ? x->blocks->incoming
                                                                      : x->transit;

        memcpy(packed, buffer + (size_t)r->first * x->bytes, (size_t)r->blocks * x->bytes);
        packed += (size_t)r->blocks * x->bytes;
    }
}

/* Puts the blocks of a message where they belong, or where they wait to be sent on. Returns the end of the message. */
static const char *aapc_scatter(const struct aapc_exchange *x, const struct aapc_message *message, const char *packed)
{
    for (int run = 0; run < (int)message->runs; ++run) {
        const struct aapc_run *const r = &aapc_runs[(size_t)message->first_run + (size_t)run];
        char *const buffer = r->buffer == AAPC_RECEIVE_BUFFER ? x->blocks->incoming : x->transit;

        memcpy(buffer + (size_t)r->first * x->bytes, packed, (size_t)r->blocks * x->bytes);
        packed += (size_t)r->blocks * x->bytes;
    }
    return packed;
}

/* Posts the receives of a phase, `messages` of them. */
static int aapc_post_receives(const struct aapc_exchange *x, const struct aapc_message *first, int messages)
{
    char *place = x->incoming;
    int error = MPI_SUCCESS;

    for (int message = 0; message < messages && error == MPI_SUCCESS; ++message) {
        const size_t length = aapc_message_blocks(&first[message]) * x->bytes;

        error = MPI_Irecv(place, (int)length, MPI_BYTE, first[message].peer, AAPC_MESSAGE_TAG, x->c->own,
                          &x->c->requests[AAPC_RECEIVES + message]);
        place += length;
    }
    return error;
}

/* All phases: in each, a rank sends one message at most, of blocks that it had before, and only when that is packed
 * does it put what it receives into its place. */
static int aapc_run_phases(const struct aapc_exchange *x)
{
    const int rank = x->c->rank;
    const struct aapc_message *send = aapc_sends + aapc_first_send[rank];
    const struct aapc_message *const last_send = aapc_sends + aapc_first_send[rank + 1];
    const struct aapc_message *receive = aapc_receives + aapc_first_receive[rank];
    const struct aapc_message *const last_receive = aapc_receives + aapc_first_receive[rank + 1];
    int error = MPI_SUCCESS;

    for (int phase = 0; phase < AAPC_PHASES && error == MPI_SUCCESS; ++phase) {
        const char *received = x->incoming;
        int messages = 0;

#if TEMPLATE_BARRIERS
        if (phase > 0 && phase % AAPC_BLOCK_PHASES == 0) {
            error = aapc_meet(x->c);
            if (error != MPI_SUCCESS) {
                break;
            }
        }
#endif
        while (receive + messages < last_receive && (int)receive[messages].phase == phase) {
            ++messages;
        }
        error = aapc_post_receives(x, receive, messages);
        if (send < last_send && (int)send->phase == phase && error == MPI_SUCCESS) {
            aapc_gather(x, send, x->outgoing);
            error = MPI_Isend(x->outgoing, (int)(aapc_message_blocks(send) * x->bytes), MPI_BYTE, send->peer,
                              AAPC_MESSAGE_TAG, x->c->own, &x->c->requests[AAPC_SEND]);
            ++send;
        }
        if (error == MPI_SUCCESS) {
            error = aapc_complete(x->c, 0, AAPC_REQUESTS);
        }
        for (; messages > 0 && error == MPI_SUCCESS; --messages) {
            received = aapc_scatter(x, receive++, received);
        }
    }
    return error;
}

/* The exchange of all blocks but a rank's own. */
static int aapc_exchange(struct aapc_communicator *c, const struct aapc_blocks *blocks, size_t bytes)
{
    char *const memory = malloc(((size_t)AAPC_MOST_IN_TRANSIT + AAPC_LARGEST_MESSAGE + AAPC_MOST_INCOMING) * bytes);
    const struct aapc_exchange x = {.c = c,
                                    .blocks = blocks,
                                    .bytes = bytes,
                                    .transit = memory,
                                    .outgoing = memory + AAPC_MOST_IN_TRANSIT * bytes,
                                    .incoming = memory + (AAPC_MOST_IN_TRANSIT + AAPC_LARGEST_MESSAGE) * bytes};
    int error = MPI_ERR_NO_MEM;

    if (memory != NULL) {
        error = aapc_run_phases(&x);
    }
    if (error == MPI_SUCCESS) {
        free(memory); /* otherwise it may still be sent from or received to */
    }
    return error;
}

static int aapc_alltoall(struct aapc_communicator *c, const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                         void *recvbuf, int recvcount, MPI_Datatype recvtype, size_t bytes)
{
    struct aapc_blocks blocks;
    int error = aapc_prepare(c, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, bytes, &blocks);

    if (error == MPI_SUCCESS) {
        error = aapc_exchange(c, &blocks, bytes);
    }
    if (error == MPI_SUCCESS) {
        error = aapc_unpack(c, &blocks, bytes, recvbuf, recvcount, recvtype);
    }
    if (error == MPI_SUCCESS) { /* otherwise they may still be sent from or received to */
        aapc_free_copies(&blocks);
    }
    return error;
}

#include "entry.h"
