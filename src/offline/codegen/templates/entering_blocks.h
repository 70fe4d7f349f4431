/* Goes on from one block of phases to the next, up to `block`: when the rank's own messages of a block are complete
 * (its sends are, since they go one at a time), it waits for all others. `*block_now` is the block that the rank is in,
 * `*received` the number of its messages that have come, in order of phase. */
static int aapc_enter_block(struct aapc_communicator *c, int block, int *block_now, int *received)
{
    const TEMPLATE_BLOCK_TYPE *const receive_block = aapc_receive_block[c->rank];
    int error = MPI_SUCCESS;

    while (*block_now < block && error == MPI_SUCCESS) {
        const int first = *received;

        while (*received < AAPC_PARTNERS && (int)receive_block[*received] == *block_now) {
            ++*received;
        }
        error = aapc_complete(c, AAPC_RECEIVES + first, AAPC_RECEIVES + *received);
        if (error == MPI_SUCCESS) {
            error = aapc_meet(c);
        }
        ++*block_now;
    }
    return error;
}
