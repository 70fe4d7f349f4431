/* A dummy: a message that nobody wants, from a rank that has nothing else to send in that phase. It goes to `peer`
 * before the send that `step` names. Those of rank r are aapc_dummy_sends[aapc_first_dummy_send[r]] to
 * aapc_dummy_sends[aapc_first_dummy_send[r + 1] - 1]. */
struct aapc_dummy {
    TEMPLATE_RANK_TYPE step; /* of the rank's own messages, counted from 0; AAPC_PARTNERS: after them all */
    TEMPLATE_RANK_TYPE peer;
};
#define AAPC_DUMMY_TAG 3

static const struct aapc_dummy aapc_dummy_sends[TEMPLATE_DUMMY_SEND_PLACES] = {
    TEMPLATE_DUMMY_SENDS,
};
static const TEMPLATE_DUMMY_SEND_INDEX_TYPE aapc_first_dummy_send[AAPC_RANKS + 1] = {
    TEMPLATE_FIRST_DUMMY_SEND,
};

/* From whom rank r gets dummies, in this order: the entries from aapc_first_dummy_receive[r] on. */
static const TEMPLATE_RANK_TYPE aapc_dummy_receive_from[TEMPLATE_DUMMY_RECEIVE_PLACES] = {
    TEMPLATE_DUMMY_RECEIVES,
};
static const TEMPLATE_DUMMY_RECEIVE_INDEX_TYPE aapc_first_dummy_receive[AAPC_RANKS + 1] = {
    TEMPLATE_FIRST_DUMMY_RECEIVE,
};

/* How far a rank has come with its dummies. */
struct aapc_dummy_state {
    int sent;
    int awaited;       /* whose receives were posted */
    char *scratch;     /* two blocks: dummies are sent from the first, and all are received into the second */
    int scratch_bytes; /* of one of them */
};
