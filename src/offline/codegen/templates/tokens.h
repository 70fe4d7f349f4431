/* What waits, below. */
static int aapc_progress(struct aapc_communicator *c);
static int aapc_complete(struct aapc_communicator *c, int first, int end);

/* Gives the tokens that are due: those of the first tokens->complete steps. */
static int aapc_give_tokens(struct aapc_communicator *c)
{
    struct aapc_token_state *const tokens = &c->tokens;
    const struct aapc_token *const signals = aapc_signals + aapc_first_signal[c->rank];
    const int number = (int)(aapc_first_signal[c->rank + 1] - aapc_first_signal[c->rank]);
    int error = MPI_SUCCESS;

    for (; tokens->signalled < number && signals[tokens->signalled].step < tokens->complete && error == MPI_SUCCESS;
         ++tokens->signalled) {
        const int peer = signals[tokens->signalled].peer;

#if TEMPLATE_RECEIVER_TOKENS
        if (peer == c->rank) {
            ++tokens->own;
            continue;
        }
#endif
        error =
            MPI_Isend(NULL, 0, MPI_BYTE, peer, AAPC_TOKEN_TAG, c->own, &c->requests[AAPC_SIGNALS + tokens->signalled]);
    }
    return error;
}

#if TEMPLATE_RECEIVER_TOKENS
/* Gives the tokens that are due since messages were received. */
static int aapc_give_tokens_of_received(struct aapc_communicator *c)
{
    while (c->tokens.complete < AAPC_PARTNERS && c->requests[AAPC_RECEIVES + c->tokens.complete] == MPI_REQUEST_NULL) {
        ++c->tokens.complete;
    }
    return aapc_give_tokens(c);
}

#endif
/* Waits for the tokens that must have come before the send `step` starts. They stand for messages of strictly earlier
 * phases, so no two ranks can wait for each other. */
static int aapc_take_tokens(struct aapc_communicator *c, int step)
{
    struct aapc_token_state *const tokens = &c->tokens;
    const struct aapc_token *const waits = aapc_waits + aapc_first_wait[c->rank];
    const int number = (int)(aapc_first_wait[c->rank + 1] - aapc_first_wait[c->rank]);
    int error = MPI_SUCCESS;

    for (; tokens->waited < number && waits[tokens->waited].step == step && error == MPI_SUCCESS; ++tokens->waited) {
#if TEMPLATE_RECEIVER_TOKENS
        if (waits[tokens->waited].peer == c->rank) {
            while (tokens->own == 0 && error == MPI_SUCCESS) {
                error = aapc_progress(c);
            }
            --tokens->own;
            continue;
        }
#endif
        error = aapc_complete(c, AAPC_WAITS + tokens->waited, AAPC_WAITS + tokens->waited + 1);
    }
    return error;
}

/* Begins an exchange: posts the receives of all tokens, from each peer in the order in which it gives them. */
static int aapc_await_tokens(struct aapc_communicator *c)
{
    const struct aapc_token *const waits = aapc_waits + aapc_first_wait[c->rank];
    const int number = (int)(aapc_first_wait[c->rank + 1] - aapc_first_wait[c->rank]);
    int error = MPI_SUCCESS;

    c->tokens.complete = 0;
#if TEMPLATE_RECEIVER_TOKENS
    c->tokens.own = 0;
#endif
    c->tokens.waited = 0;
    c->tokens.signalled = 0;
    for (int wait = 0; wait < number && error == MPI_SUCCESS; ++wait) {
#if TEMPLATE_RECEIVER_TOKENS
        if (waits[wait].peer == c->rank) {
            continue;
        }
#endif
        error = MPI_Irecv(NULL, 0, MPI_BYTE, waits[wait].peer, AAPC_TOKEN_TAG, c->own, &c->requests[AAPC_WAITS + wait]);
    }
    return error;
}
