/* Communicators of every kind, some of which live on for later cases and are freed in any order. */
#ifndef AAPC_TESTS_CONFORMANCE_COMMUNICATORS_H
#define AAPC_TESTS_CONFORMANCE_COMMUNICATORS_H

#include "exchange.h"
#include "random.h"

/* Makes one; the handle is MPI_COMM_NULL on ranks that do not take part. `shared` moves on alike on all ranks of
 * MPI_COMM_WORLD. Collective over that. */
Communicator random_communicator(Random* shared);
/* What there is to know of a handle that was made in some other way; not MPI_COMM_NULL. */
Communicator communicator_of(MPI_Comm comm, const char* text);
/* Frees it, keeps it for later, or frees another one. Collective over MPI_COMM_WORLD. */
void done_with(Communicator* communicator, Random* shared);
/* Frees some of those that are left; the others are MPI_Finalize's affair. */
void free_some(Random* shared);

#endif
