/* A rank has a message for every other rank, each of one block. */
#define AAPC_PARTNERS (AAPC_RANKS - 1)
#define AAPC_LARGEST_MESSAGE 1

/* Row r, column s: to whom rank r sends its s-th message. */
static const TEMPLATE_RANK_TYPE aapc_send_to[AAPC_RANKS][AAPC_PARTNERS] = {
    TEMPLATE_SEND_TO,
};

/* Row r, column s: from whom rank r gets its s-th message. */
static const TEMPLATE_RANK_TYPE aapc_receive_from[AAPC_RANKS][AAPC_PARTNERS] = {
    TEMPLATE_RECEIVE_FROM,
};
