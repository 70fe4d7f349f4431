/* One call with buffers of random layout, held against plain bytes from point to point. */
#ifndef AAPC_TESTS_CONFORMANCE_EXCHANGE_H
#define AAPC_TESTS_CONFORMANCE_EXCHANGE_H

#include <mpi.h>
#include <stddef.h>

#include "calls.h"
#include "random.h"
#include "types.h"

/* Says what is wrong with the case at hand and ends the job. */
void fail(const char* format, ...);
/* The case at hand, for fail(). */
void set_case(long number);
/* Whether every call is described on standard error. */
extern int says_calls;

/* A communicator and what point-to-point messages need to know of it. */
typedef struct {
    MPI_Comm comm;
    char text[80];
    int is_inter;      /* 1 in the first group, 2 in the second */
    int blocking_only; /* no other calls on it */
    int expendable;    /* it may come to that */
    int rank;
    int size;
    int sources; /* messages that this rank receives; of all ranks, or of its neighbours */
    int destinations;
    int source[most_peers];
    int destination[most_peers];
    int neighbours; /* there are such */
    int neighbour_sources;
    int neighbour_destinations;
    int neighbour_source[most_peers];
    int neighbour_destination[most_peers];
} Communicator;

/* One side of a call: a buffer, and what it is said to hold. */
typedef struct {
    int messages;
    int one_type;
    Type types[most_peers]; /* the first one for all, if there is one type */
    int absolute;           /* `described` is for MPI_BOTTOM */
    MPI_Datatype described[most_peers];
    int counts[most_peers];
    int places[most_peers];       /* as the call wants them */
    MPI_Aint offsets[most_peers]; /* of each message in bytes, against the buffer */
    unsigned char* memory;
    size_t size;
    MPI_Aint origin; /* the buffer's place in the memory */
} Side;

typedef struct {
    const Communicator* where;
    const Signature* signature;
    Call call;
    int in_place;
    const int* source; /* of each message */
    const int* destination;
    int longest; /* units of a message */
    Side send;
    Side receive;
    unsigned char* expected; /* the receive side's memory as it must be */
    unsigned char* sent;     /* the send side's memory as it was */
    MPI_Request request;
    int wildcard; /* there is a receive for whatever comes on the same communicator */
    int caught;
    MPI_Request catching;
} Exchange;

/* Makes up a call, carries out what it stands for by messages and starts it. `shared` is the same on all ranks of the
 * communicator and moves on alike; `own` is this rank's. `alone`: no other one begins before this one ends. Collective.
 */
void begin_exchange(Exchange* exchange, Communicator* where, Random* shared, Random* own, int alone);
/* Waits for it and looks at every byte. */
void end_exchange(Exchange* exchange);

#endif
