/* What a case may be. All are collective over MPI_COMM_WORLD; `shared` is the same on all ranks, `own` each rank's. */
#ifndef AAPC_TESTS_CONFORMANCE_CASES_H
#define AAPC_TESTS_CONFORMANCE_CASES_H

#include "random.h"

/* One to three calls on a communicator, which may overlap, with wildcard receives beside them. */
void calls_on_a_communicator(Random* shared, Random* own);
/* Several threads, each on a communicator of its own, and wildcard receives in another one. */
void calls_in_threads(Random* shared, Random* own);
/* Attributes whose callbacks call MPI_Alltoall and free communicators. */
void calls_in_callbacks(Random* shared, Random* own);
/* The same when MPI_Finalize frees the attributes of MPI_COMM_SELF. */
void call_in_finalize(Random shared, Random own);
/* Blocks and messages that lie beyond 2^31 bytes. */
void calls_far_apart(Random* shared, Random* own);
/* The same with more than 2^31 bytes of data; takes `ranks` times 3 GB. */
void calls_of_much_data(Random* shared, Random* own);
/* What the MPI refuses: the same class and the same calls of the error handler as from the MPI's own routine. */
void refused_calls(Random* shared, Random* own);
/* The number of refused calls that were compared. */
long compared_refusals(void);

#endif
