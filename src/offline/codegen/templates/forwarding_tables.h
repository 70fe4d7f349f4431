#define AAPC_PHASES TEMPLATE_PHASES
#if TEMPLATE_BARRIERS

/* All ranks meet after every so many phases. */
#define AAPC_BLOCK_PHASES TEMPLATE_BLOCK_PHASES
#endif

/* The most blocks in a message, the most messages that a rank gets in one phase, the most blocks in these, and the most
 * blocks that wait at a rank to be sent on. */
#define AAPC_LARGEST_MESSAGE TEMPLATE_LARGEST_MESSAGE
#define AAPC_MOST_RECEIVES TEMPLATE_MOST_RECEIVES
#define AAPC_MOST_INCOMING TEMPLATE_MOST_INCOMING
#define AAPC_MOST_IN_TRANSIT TEMPLATE_MOST_IN_TRANSIT

/* Where blocks are. */
enum {
    AAPC_SEND_BUFFER,    /* the program's send buffer: `first` is the rank that a block is for */
    AAPC_RECEIVE_BUFFER, /* the program's receive buffer: `first` is the rank that a block is from */
    AAPC_TRANSIT         /* memory of our own, for blocks that are to be sent on: `first` is a place */
};

/* Blocks that lie one after the other. */
struct aapc_run {
    uint8_t buffer;
    TEMPLATE_RUN_FIRST_TYPE first;
    TEMPLATE_RUN_FIRST_TYPE blocks;
};
static const struct aapc_run aapc_runs[TEMPLATE_RUN_PLACES] = {
    TEMPLATE_RUNS,
};

/* A message: the blocks of aapc_runs[first_run] to aapc_runs[first_run + runs - 1], in this order. */
struct aapc_message {
    TEMPLATE_PHASE_TYPE phase;
    TEMPLATE_RANK_TYPE peer;
    TEMPLATE_RUN_INDEX_TYPE first_run;
    TEMPLATE_RUN_INDEX_TYPE runs;
};

/* What rank r sends, in order of phase: aapc_sends[aapc_first_send[r]] to aapc_sends[aapc_first_send[r + 1] - 1]. */
static const struct aapc_message aapc_sends[TEMPLATE_SEND_PLACES] = {
    TEMPLATE_SENDS,
};
static const TEMPLATE_SEND_INDEX_TYPE aapc_first_send[AAPC_RANKS + 1] = {
    TEMPLATE_FIRST_SEND,
};

/* What it receives, likewise. */
static const struct aapc_message aapc_receives[TEMPLATE_RECEIVE_PLACES] = {
    TEMPLATE_RECEIVES,
};
static const TEMPLATE_RECEIVE_INDEX_TYPE aapc_first_receive[AAPC_RANKS + 1] = {
    TEMPLATE_FIRST_RECEIVE,
};
