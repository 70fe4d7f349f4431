#include "values.h"
#include "head.h"
#include "settings.h"
#include "machines.h"
#include "partners.h"
#if TEMPLATE_BARRIERS
#include "phase_blocks.h"
#endif
#if TEMPLATE_TOKENS
#include "token_tables.h"
#endif
#if TEMPLATE_DUMMIES
#include "dummy_tables.h"
#endif

/* Where the requests of an exchange stand in the array of all requests. */
#define AAPC_SEND 0
#if TEMPLATE_BARRIERS
#define AAPC_BARRIER 1
#endif
#if TEMPLATE_DUMMIES
#define AAPC_DUMMY 1
#endif
#define AAPC_RECEIVES 2
#if TEMPLATE_TOKENS
#define AAPC_WAITS (AAPC_RECEIVES + AAPC_PARTNERS)
#define AAPC_SIGNALS (AAPC_WAITS + AAPC_MOST_WAITS)
#define AAPC_REQUESTS (AAPC_SIGNALS + AAPC_MOST_SIGNALS)
#else
#define AAPC_REQUESTS (AAPC_RECEIVES + AAPC_PARTNERS)
#endif

#include "communicator.h"
#include "waiting.h"
#include "blocks.h"
#include "whole_messages.h"
#if TEMPLATE_TOKENS
#include "tokens.h"
#endif
#if TEMPLATE_DUMMIES
#include "dummies.h"
#endif
#include "progress.h"
#if TEMPLATE_BARRIERS
#include "barrier.h"
#include "entering_blocks.h"
#endif

/* The rank's turn in an exchange: every send starts when the one before is locally complete. All receives are posted
 * before the first send, so every send can complete. After an error, requests may be left over, as MPI has it. */
static int aapc_run(struct aapc_communicator *c, const struct aapc_blocks *blocks)
{
#if TEMPLATE_BARRIERS
    int block_now = 0;
    int received = 0;
#endif
    int error = MPI_SUCCESS;

    for (int step = 0; step < AAPC_PARTNERS && error == MPI_SUCCESS; ++step) {
        error = aapc_post_receive(c, blocks, step);
    }
#if TEMPLATE_TOKENS
    if (error == MPI_SUCCESS) {
        error = aapc_await_tokens(c);
    }
#endif
#if TEMPLATE_DUMMIES
    if (error == MPI_SUCCESS) {
        error = aapc_begin_dummies(c);
    }
#endif
    for (int step = 0; step < AAPC_PARTNERS && error == MPI_SUCCESS; ++step) {
#if TEMPLATE_BARRIERS
        error = aapc_enter_block(c, (int)aapc_send_block[c->rank][step], &block_now, &received);
#endif
#if TEMPLATE_DUMMIES
        error = aapc_send_dummies(c, step);
#endif
#if TEMPLATE_TOKENS
        if (error == MPI_SUCCESS) {
            error = aapc_take_tokens(c, step);
        }
#endif
        if (error == MPI_SUCCESS) {
            error = aapc_start_send(c, blocks, step, &c->requests[AAPC_SEND]);
        }
        if (error == MPI_SUCCESS) {
            error = aapc_complete(c, AAPC_SEND, AAPC_SEND + 1);
        }
#if TEMPLATE_SENDER_TOKENS
        if (error == MPI_SUCCESS) {
            c->tokens.complete = step + 1;
            error = aapc_give_tokens(c);
        }
#endif
    }
#if TEMPLATE_BARRIERS
    if (error == MPI_SUCCESS) {
        error = aapc_enter_block(c, AAPC_BLOCKS - 1, &block_now, &received);
    }
#endif
#if TEMPLATE_DUMMIES
    if (error == MPI_SUCCESS) {
        error = aapc_finish_dummies(c);
    }
#endif
    return error == MPI_SUCCESS ? aapc_complete(c, 0, AAPC_REQUESTS) : error;
}

#include "whole_exchange.h"
#include "entry.h"
