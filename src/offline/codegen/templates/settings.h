#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L /* for nanosleep */
#endif

#include <limits.h>
#include <mpi.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* What can be set when this file is compiled (-DNAME=VALUE):
 *   AAPC_MINIMUM_BYTES       messages of fewer bytes are left to the MPI's own routine
 *   AAPC_SKIP_MACHINE_CHECK  do not check that rank i runs on the schedule's i-th machine (for tests on one machine)
 *   AAPC_COUNT_CALLS         count the calls that the schedule served in aapc_generated_calls (for tests)
 */
#ifndef AAPC_MINIMUM_BYTES
#define AAPC_MINIMUM_BYTES TEMPLATE_MINIMUM_BYTES
#endif
#ifdef AAPC_COUNT_CALLS
extern unsigned long aapc_generated_calls;
unsigned long aapc_generated_calls;
#endif

#define AAPC_RANKS TEMPLATE_RANKS

/* The tag of blocks, on a communicator of our own. Messages between two ranks are told apart by their order alone. */
#define AAPC_MESSAGE_TAG 1

/* A rank that waits naps between its tests, since it may share its core with those it waits for. */
#define AAPC_TESTS_BEFORE_NAP 64
#define AAPC_NAP_SECONDS 50e-6
