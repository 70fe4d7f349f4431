/* A synchronisation message: an empty message between two ranks whose messages would meet on a link. */
struct aapc_token {
    TEMPLATE_RANK_TYPE step; /* of the rank's own messages, counted from 0 */
    TEMPLATE_RANK_TYPE peer; /* the other rank */
};
#define AAPC_TOKEN_TAG 2

/* The most tokens that one rank waits for, and that one rank gives. */
#define AAPC_MOST_WAITS TEMPLATE_MOST_WAITS
#define AAPC_MOST_SIGNALS TEMPLATE_MOST_SIGNALS

/* Before rank r starts the send that `step` names, this token must have come from `peer`. Those of rank r are
 * aapc_waits[aapc_first_wait[r]] to aapc_waits[aapc_first_wait[r + 1] - 1]. */
static const struct aapc_token aapc_waits[TEMPLATE_WAIT_PLACES] = {
    TEMPLATE_WAITS,
};
static const TEMPLATE_WAIT_INDEX_TYPE aapc_first_wait[AAPC_RANKS + 1] = {
    TEMPLATE_FIRST_WAIT,
};

#if TEMPLATE_SENDER_TOKENS
/* Once rank r has completed the send that `step` names, and all before it, this token goes to `peer`. */
#endif
#if TEMPLATE_RECEIVER_TOKENS
/* Once rank r has got the message that `step` names, and all before it, this token goes to `peer`. A token to oneself
 * is a condition, not a message, and stands in both tables. */
#endif
static const struct aapc_token aapc_signals[TEMPLATE_SIGNAL_PLACES] = {
    TEMPLATE_SIGNALS,
};
static const TEMPLATE_SIGNAL_INDEX_TYPE aapc_first_signal[AAPC_RANKS + 1] = {
    TEMPLATE_FIRST_SIGNAL,
};

/* How far a rank has come with its tokens. */
struct aapc_token_state {
    int waited;    /* tokens that came and were taken */
    int signalled; /* tokens that were given */

#if TEMPLATE_SENDER_TOKENS
    int complete; /* sends that are locally complete, as are all before them */
#endif
#if TEMPLATE_RECEIVER_TOKENS
    int complete; /* receives that are complete, as are all before them */
    int own;      /* tokens to oneself that were given and not yet taken */
#endif
};
