#if TEMPLATE_LISTS_PHASES
/* The schedule; 2>5 is the message from rank 2 to rank 5.
 *   TEMPLATE_PHASE_LINES
 */

#endif
#ifndef AAPC_SKIP_MACHINE_CHECK
/* The machine of each rank. */
static const char *const aapc_machine[AAPC_RANKS] = {
    TEMPLATE_MACHINES,
};
#endif
