/* The calls from Fortran (calls.F90): handles become integers, and two special addresses flags. */
#include "calls.h"

const char language[] = CONFORMANCE_BINDING;

/* Calls that are not finished read their arrays; a thread has two of them at most. */
enum { kept_calls = 4 };

typedef struct {
    const void* buffer;
    int special; /* 1: MPI_IN_PLACE, 2: MPI_BOTTOM */
    int counts[most_peers];
    int places[most_peers];
    MPI_Aint addresses[most_peers];
    MPI_Fint types[most_peers];
} FortranArguments;

extern void aapc_fortran_call(const int* routine, const FortranArguments* send, const FortranArguments* receive,
                              const MPI_Fint* comm, MPI_Fint* request, MPI_Fint* error);

int has_way(int way) { return way < persistent; }

static void translate(const Arguments* arguments, int peers, FortranArguments* made) {
    made->buffer = arguments->buffer;
    made->special = arguments->buffer == MPI_IN_PLACE ? 1 : arguments->buffer == MPI_BOTTOM ? 2 : 0;
    for (int i = 0; i < peers; ++i) {
        made->counts[i] = arguments->counts[i];
        made->places[i] = arguments->places[i];
        made->addresses[i] = arguments->addresses[i];
        made->types[i] = MPI_Type_c2f(arguments->types[i]);
    }
}

int make_call(const Call* call, MPI_Request* request) {
    static _Thread_local FortranArguments kept[kept_calls][2];
    static _Thread_local unsigned calls;
    FortranArguments* const sides = kept[calls++ % kept_calls];
    const int routine = call->way * forms + call->form;
    const int types = call->peers > 0 ? call->peers : 1;
    translate(&call->send, types, &sides[0]);
    translate(&call->receive, types, &sides[1]);
    const MPI_Fint comm = MPI_Comm_c2f(call->comm);
    MPI_Fint made = 0;
    MPI_Fint error = MPI_SUCCESS;
    aapc_fortran_call(&routine, &sides[0], &sides[1], &comm, &made, &error);
    if (call->way == nonblocking || call->way == nonblocking_neighbour) *request = MPI_Request_f2c(made);
    return error;
}
