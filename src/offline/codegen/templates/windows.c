#include "values.h"
#include "head.h"
#include "settings.h"
#include "machines.h"
#include "partners.h"
#include "phase_blocks.h"

/* Where the requests of an exchange stand in the array of all requests. */
#define AAPC_SENDS 0
#define AAPC_RECEIVES (AAPC_SENDS + AAPC_PARTNERS)
#define AAPC_REQUESTS (AAPC_RECEIVES + AAPC_PARTNERS)

#include "communicator.h"
#include "waiting.h"
#include "blocks.h"
#include "whole_messages.h"
#include "progress.h"

/* The rank's turn in an exchange: its messages of a block of phases all at once, and the next block's when these are
 * complete. A rank gets to a block only after all earlier ones, and the two ends of a message have it in the same
 * block, so the ranks that are furthest behind can always go on. After an error, requests may be left over, as is usual
 * with MPI. */
static int aapc_run(struct aapc_communicator *c, const struct aapc_blocks *blocks)
{
    const TEMPLATE_BLOCK_TYPE *const send_block = aapc_send_block[c->rank];
    const TEMPLATE_BLOCK_TYPE *const receive_block = aapc_receive_block[c->rank];
    int sent = 0;
    int received = 0;
    int error = MPI_SUCCESS;

    for (int block = 0; block < AAPC_BLOCKS && error == MPI_SUCCESS; ++block) {
        while (received < AAPC_PARTNERS && (int)receive_block[received] == block && error == MPI_SUCCESS) {
            error = aapc_post_receive(c, blocks, received++);
        }
        while (sent < AAPC_PARTNERS && (int)send_block[sent] == block && error == MPI_SUCCESS) {
            error = aapc_start_send(c, blocks, sent, &c->requests[AAPC_SENDS + sent]);
            ++sent;
        }
        if (error == MPI_SUCCESS) {
            error = aapc_complete(c, 0, AAPC_REQUESTS);
        }
    }
    return error;
}

#include "whole_exchange.h"
#include "entry.h"
