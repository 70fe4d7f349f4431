/* The calls under test, in the language that the program is linked for: calls.c, calls.cpp or calls.F90. */
#ifndef AAPC_TESTS_CONFORMANCE_CALLS_H
#define AAPC_TESTS_CONFORMANCE_CALLS_H

#include <mpi.h>

enum { most_peers = 16 };

/* In threes: one block for all, counts and places, counts and places and types. */
enum { equal, unequal, typed, forms };
enum { blocking, nonblocking, neighbour, nonblocking_neighbour, persistent, large_count, ways };

typedef struct {
    const void* buffer; /* MPI_IN_PLACE and MPI_BOTTOM included */
    int counts[most_peers];
    int places[most_peers];         /* in extents, in bytes where there are types */
    MPI_Aint addresses[most_peers]; /* in bytes, for neighbours with types */
    MPI_Datatype types[most_peers];
} Arguments;

typedef struct {
    int form;
    int way;
    int peers; /* entries of the arrays */
    Arguments send;
    Arguments receive;
    MPI_Comm comm;
    int far; /* large-count calls: places are `addresses` */
} Call;

#ifdef __cplusplus
extern "C" {
#endif

extern const char language[];
static inline int is_fortran(void) { return language[0] == 'm'; }
/* Ways that the language and the MPI have. */
int has_way(int way);
/* Returns the error. Whatever is not blocking leaves a request, which a persistent call wants started. */
int make_call(const Call* call, MPI_Request* request);

#ifdef __cplusplus
}
#endif

#endif
