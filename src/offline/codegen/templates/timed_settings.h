/* What can be set as well:
 *   AAPC_PACE                slots are this much longer (1/pace) than at the links' full speed: more than a hundredth
 *                            above what is set here, queues build up in the switches and never drain
 *   AAPC_SEGMENT_BYTES       messages are cut into segments of so many bytes; the last may be shorter
 */
#ifndef AAPC_PACE
#define AAPC_PACE TEMPLATE_PACE
#endif
#ifndef AAPC_SEGMENT_BYTES
#define AAPC_SEGMENT_BYTES TEMPLATE_SEGMENT_BYTES
#endif

/* What a segment puts on a link: its frames, the message's header and the acknowledgements of a segment that goes the
 * other way at the same time (TCP with time stamps). */
#define AAPC_PAYLOAD_PER_FRAME TEMPLATE_PAYLOAD_PER_FRAME
#define AAPC_FRAME_OVERHEAD TEMPLATE_FRAME_OVERHEAD
#define AAPC_MESSAGE_HEADER TEMPLATE_MESSAGE_HEADER
#define AAPC_ACKNOWLEDGEMENT_PER_FRAME TEMPLATE_ACKNOWLEDGEMENT_PER_FRAME

#if TEMPLATE_CYCLE
/* Round k of an exchange moves segment k of every message, and takes a cycle of AAPC_PHASES ticks. In a cycle no link
 * is asked for more segments than it carries; a tick is so much time for each byte of a segment. */
#define AAPC_PHASES TEMPLATE_PHASES
#define AAPC_SLOT_SECONDS_PER_BYTE TEMPLATE_TICK_SECONDS_PER_BYTE
#else
/* Round k of an exchange moves segment k of every message, and takes AAPC_PHASES slots. A slot is as long as the
 * slowest link needs for a segment. */
#define AAPC_PHASES TEMPLATE_PHASES
#define AAPC_LINK_BITS_PER_SECOND TEMPLATE_BITS_PER_SECOND
#define AAPC_SLOT_SECONDS_PER_BYTE (8 / AAPC_LINK_BITS_PER_SECOND)
#endif

/* Receives of so many rounds are posted ahead, and sends of so many rounds may be incomplete. */
#define AAPC_WINDOW 4
#define AAPC_WINDOW_REQUESTS (AAPC_WINDOW * AAPC_PARTNERS)

/* Naps between starts: not so long that what arrives has to wait, nor so short that waking up takes longer. */
#define AAPC_LONGEST_NAP_SECONDS 100e-6
#define AAPC_SHORTEST_NAP_SECONDS 15e-6
