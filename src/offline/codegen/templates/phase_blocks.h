/* The phases come in so many blocks; a block has TEMPLATE_BLOCK_PHASES (the last one may have fewer). */
#define AAPC_BLOCKS TEMPLATE_BLOCKS

/* Row r, column s: the block of phases of the s-th message that rank r sends, and of the s-th that it receives. */
static const TEMPLATE_BLOCK_TYPE aapc_send_block[AAPC_RANKS][AAPC_PARTNERS] = {
    TEMPLATE_SEND_BLOCK,
};
static const TEMPLATE_BLOCK_TYPE aapc_receive_block[AAPC_RANKS][AAPC_PARTNERS] = {
    TEMPLATE_RECEIVE_BLOCK,
};
