/* What the generator puts in: here for a cluster of two machines, so that every template of this folder is a whole C
 * program for itself, which compilers, formatters and readers understand. The generator has the values of the schedule
 * at hand in place of this file. TEMPLATE_DUMMIES, TEMPLATE_SENDER_TOKENS, TEMPLATE_RECEIVER_TOKENS and
 * TEMPLATE_BARRIERS are what a template may be compiled with as well (-DTEMPLATE_DUMMIES=1). */
#define TEMPLATE_LISTS_PHASES 1

#ifndef TEMPLATE_BARRIERS
#define TEMPLATE_BARRIERS 0
#endif
#ifndef TEMPLATE_CYCLE
#define TEMPLATE_CYCLE 0
#endif
#ifndef TEMPLATE_DUMMIES
#define TEMPLATE_DUMMIES 0
#endif
#ifndef TEMPLATE_SENDER_TOKENS
#define TEMPLATE_SENDER_TOKENS 0
#endif
#ifndef TEMPLATE_RECEIVER_TOKENS
#define TEMPLATE_RECEIVER_TOKENS 0
#endif
#define TEMPLATE_TOKENS (TEMPLATE_SENDER_TOKENS || TEMPLATE_RECEIVER_TOKENS)

/* The cluster and the tables' types. */
#define TEMPLATE_MINIMUM_BYTES 8192
#define TEMPLATE_RANKS 2
#define TEMPLATE_PHASES 1
#define TEMPLATE_MACHINES "n0", "n1"
#define TEMPLATE_RANK_TYPE uint8_t
#define TEMPLATE_PHASE_TYPE uint8_t

/* Messages of one block each. */
#define TEMPLATE_SEND_TO \
    {1},                 \
    {                    \
        0                \
    }
#define TEMPLATE_RECEIVE_FROM \
    {1},                      \
    {                         \
        0                     \
    }
#define TEMPLATE_SEND_PHASE \
    {0},                    \
    {                       \
        0                   \
    }

/* Phases in blocks. */
#define TEMPLATE_BLOCKS 1
#define TEMPLATE_BLOCK_PHASES 1
#define TEMPLATE_BLOCK_TYPE uint8_t
#define TEMPLATE_SEND_BLOCK \
    {0},                    \
    {                       \
        0                   \
    }
#define TEMPLATE_RECEIVE_BLOCK \
    {0},                       \
    {                          \
        0                      \
    }

/* Tokens: there is none, and C has no empty arrays. */
#define TEMPLATE_MOST_WAITS 0
#define TEMPLATE_WAIT_PLACES 1
#define TEMPLATE_WAITS \
    {                  \
        0, 0           \
    }
#define TEMPLATE_WAIT_INDEX_TYPE uint8_t
#define TEMPLATE_FIRST_WAIT 0, 0, 0
#define TEMPLATE_MOST_SIGNALS 0
#define TEMPLATE_SIGNAL_PLACES 1
#define TEMPLATE_SIGNALS \
    {                    \
        0, 0             \
    }
#define TEMPLATE_SIGNAL_INDEX_TYPE uint8_t
#define TEMPLATE_FIRST_SIGNAL 0, 0, 0

/* Dummies: no rank is ever idle. */
#define TEMPLATE_DUMMY_SEND_PLACES 1
#define TEMPLATE_DUMMY_SENDS \
    {                        \
        0, 0                 \
    }
#define TEMPLATE_DUMMY_SEND_INDEX_TYPE uint8_t
#define TEMPLATE_FIRST_DUMMY_SEND 0, 0, 0
#define TEMPLATE_DUMMY_RECEIVE_PLACES 1
#define TEMPLATE_DUMMY_RECEIVES 0
#define TEMPLATE_DUMMY_RECEIVE_INDEX_TYPE uint8_t
#define TEMPLATE_FIRST_DUMMY_RECEIVE 0, 0, 0

/* Time slots, on links of 100 Mbit/s. */
#define TEMPLATE_PACE 0.96
#define TEMPLATE_SEGMENT_BYTES 4344
#define TEMPLATE_BITS_PER_SECOND 100000000.0
#define TEMPLATE_TICK_SECONDS_PER_BYTE 8e-08
#define TEMPLATE_PAYLOAD_PER_FRAME 1448
#define TEMPLATE_FRAME_OVERHEAD 90
#define TEMPLATE_MESSAGE_HEADER 32
#define TEMPLATE_ACKNOWLEDGEMENT_PER_FRAME 45

/* Messages of several blocks: the two that there are carry one. */
#define TEMPLATE_LARGEST_MESSAGE 1
#define TEMPLATE_MOST_RECEIVES 1
#define TEMPLATE_MOST_INCOMING 1
#define TEMPLATE_MOST_IN_TRANSIT 0
#define TEMPLATE_RUN_PLACES 4
#define TEMPLATE_RUN_FIRST_TYPE uint8_t
#define TEMPLATE_RUN_INDEX_TYPE uint8_t
#define TEMPLATE_RUNS                                                                \
    {AAPC_SEND_BUFFER, 1, 1}, {AAPC_RECEIVE_BUFFER, 1, 1}, {AAPC_SEND_BUFFER, 0, 1}, \
    {                                                                                \
        AAPC_RECEIVE_BUFFER, 0, 1                                                    \
    }
#define TEMPLATE_SEND_PLACES 2
#define TEMPLATE_SENDS \
    {0, 1, 0, 1},      \
    {                  \
        0, 0, 2, 1     \
    }
#define TEMPLATE_SEND_INDEX_TYPE uint8_t
#define TEMPLATE_FIRST_SEND 0, 1, 2
#define TEMPLATE_RECEIVE_PLACES 2
#define TEMPLATE_RECEIVES \
    {0, 1, 1, 1},         \
    {                     \
        0, 0, 3, 1        \
    }
#define TEMPLATE_RECEIVE_INDEX_TYPE uint8_t
#define TEMPLATE_FIRST_RECEIVE 0, 1, 2
