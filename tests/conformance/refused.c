#define _GNU_SOURCE /* RTLD_NOLOAD, RTLD_DEFAULT, dladdr */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "communicators.h"
#include "exchange.h"

/* The MPI's own routines, whatever is preloaded. */
typedef int (*OwnEqual)(const void*, int, MPI_Datatype, void*, int, MPI_Datatype, MPI_Comm);
typedef int (*OwnUnequal)(const void*, const int*, const int*, MPI_Datatype, void*, const int*, const int*,
                          MPI_Datatype, MPI_Comm);
typedef int (*OwnTyped)(const void*, const int*, const int*, const MPI_Datatype*, void*, const int*, const int*,
                        const MPI_Datatype*, MPI_Comm);
typedef int (*OwnIequal)(const void*, int, MPI_Datatype, void*, int, MPI_Datatype, MPI_Comm, MPI_Request*);
typedef int (*OwnIunequal)(const void*, const int*, const int*, MPI_Datatype, void*, const int*, const int*,
                           MPI_Datatype, MPI_Comm, MPI_Request*);
typedef int (*OwnItyped)(const void*, const int*, const int*, const MPI_Datatype*, void*, const int*, const int*,
                         const MPI_Datatype*, MPI_Comm, MPI_Request*);

static union {
    void* found[2 * forms];
    struct {
        OwnEqual equal;
        OwnUnequal unequal;
        OwnTyped typed;
        OwnIequal iequal;
        OwnIunequal iunequal;
        OwnItyped ityped;
    } call;
} own_routines;

static void find_own_routines(void) {
    static const char* const names[2 * forms] = {"PMPI_Alltoall",  "PMPI_Alltoallv",  "PMPI_Alltoallw",
                                                 "PMPI_Ialltoall", "PMPI_Ialltoallv", "PMPI_Ialltoallw"};
    Dl_info info;
    if (dladdr(dlsym(RTLD_DEFAULT, "MPI_Get_version"), &info) == 0) fail("the MPI's library is not to be found");
    void* const library = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    for (int i = 0; i < 2 * forms; ++i) {
        own_routines.found[i] = library != NULL ? dlsym(library, names[i]) : NULL;
        if (own_routines.found[i] == NULL) fail("%s has no %s", info.dli_fname, names[i]);
    }
}

static int make_own_call(const Call* call, MPI_Request* request) {
    const Arguments* const s = &call->send;
    const Arguments* const r = &call->receive;
    void* const to = (void*)r->buffer;
    switch (call->way == nonblocking ? forms + call->form : call->form) {
        case forms + equal:
            return own_routines.call.iequal(s->buffer, s->counts[0], s->types[0], to, r->counts[0], r->types[0],
                                            call->comm, request);
        case forms + unequal:
            return own_routines.call.iunequal(s->buffer, s->counts, s->places, s->types[0], to, r->counts, r->places,
                                              r->types[0], call->comm, request);
        case forms + typed:
            return own_routines.call.ityped(s->buffer, s->counts, s->places, s->types, to, r->counts, r->places,
                                            r->types, call->comm, request);
        case equal:
            return own_routines.call.equal(s->buffer, s->counts[0], s->types[0], to, r->counts[0], r->types[0],
                                           call->comm);
        case unequal:
            return own_routines.call.unequal(s->buffer, s->counts, s->places, s->types[0], to, r->counts, r->places,
                                             r->types[0], call->comm);
        default:
            return own_routines.call.typed(s->buffer, s->counts, s->places, s->types, to, r->counts, r->places,
                                           r->types, call->comm);
    }
}

/* What an error handler hears. */
static int handled;
static int handled_class;
static long compared;

long compared_refusals(void) { return compared; }

static void on_error(MPI_Comm* comm, int* code, ...) {
    (void)comm;
    ++handled;
    MPI_Error_class(*code, &handled_class);
}

typedef struct {
    int class;
    int handled;
    int handled_class;
} Heard;

static Heard heard_of(int error) {
    Heard heard = {MPI_SUCCESS, handled, handled_class};
    MPI_Error_class(error, &heard.class);
    handled = 0;
    handled_class = MPI_SUCCESS;
    return heard;
}

/* What it says of a call that does not wait; one that it takes nonetheless is waited for. */
static Heard heard_in_the_end(int error, MPI_Request* request) {
    const Heard heard = heard_of(error);
    if (heard.class == MPI_SUCCESS) MPI_Wait(request, MPI_STATUS_IGNORE);
    return heard;
}

enum {
    negative_sent,
    negative_received,
    no_type_sent,
    no_type_received,
    uncommitted_sent,
    uncommitted_received,
    received_in_place,
    both_in_place,
    no_communicator,
    in_place_between_groups,
    /* MPICH only: Open MPI takes any address */
    no_buffer_sent,
    no_buffer_received,
    one_buffer,
    mistakes
};

static const char* const mistake_names[mistakes] = {
    "a negative count to send",
    "a negative count to receive",
    "no type to send",
    "no type to receive",
    "an uncommitted type to send",
    "an uncommitted type to receive",
    "MPI_IN_PLACE to receive",
    "both in place",
    "no communicator",
    "in place between two groups",
    "no buffer to send",
    "no buffer to receive",
    "one buffer",
};

#ifdef MPICH_VERSION
enum { mistakes_here = mistakes };
#else
enum { mistakes_here = no_buffer_sent };
#endif

/* Which of a form's messages is wrong: the first one where there is one description for all. */
static void make_mistake(Call* call, int mistake, int peer, MPI_Datatype uncommitted) {
    const int of_type = call->form == typed ? peer : 0;
    const int of_count = call->form == equal ? 0 : peer;
    if (mistake == negative_sent) call->send.counts[of_count] = -1;
    if (mistake == negative_received) call->receive.counts[of_count] = -3;
    if (mistake == no_type_sent) call->send.types[of_type] = MPI_DATATYPE_NULL;
    if (mistake == no_type_received) call->receive.types[of_type] = MPI_DATATYPE_NULL;
    if (mistake == uncommitted_sent) call->send.types[of_type] = uncommitted;
    if (mistake == uncommitted_received) call->receive.types[of_type] = uncommitted;
    if (mistake == received_in_place || mistake == both_in_place) call->receive.buffer = MPI_IN_PLACE;
    if (mistake == both_in_place || mistake == in_place_between_groups) call->send.buffer = MPI_IN_PLACE;
    if (mistake == no_communicator) call->comm = MPI_COMM_NULL;
    if (mistake == no_buffer_sent) call->send.buffer = NULL;
    if (mistake == no_buffer_received) call->receive.buffer = NULL;
    if (mistake == one_buffer) call->receive.buffer = call->send.buffer;
}

static Call good_call(const Communicator* where, int form, int way, int count, int* send, int* receive) {
    Call call = {.form = form, .way = way, .peers = where->sources, .comm = where->comm};
    for (int i = 0; i < call.peers; ++i) {
        call.send.counts[i] = count;
        call.send.places[i] = i * count * (form == typed ? (int)sizeof(int) : 1);
        call.send.types[i] = MPI_INT;
    }
    call.receive = call.send;
    call.send.buffer = send;
    call.receive.buffer = receive;
    return call;
}

static void compare_refusal(const Communicator* where, Random* shared, int* send, int* receive) {
    const int form = below(shared, forms);
    const int count = 2 * (1 + below(shared, 2000));
    const int peer = below(shared, where->sources);
    int mistake = below(shared, mistakes_here);
    if (where->is_inter) mistake = one_in(shared, 2) ? no_communicator : in_place_between_groups;
    if (!where->is_inter && mistake == in_place_between_groups) mistake = no_communicator;
#ifdef MPICH_VERSION
    /* It does not look for that, and waits. */
    if (mistake == in_place_between_groups) mistake = no_communicator;
#endif
    /* Fortran bindings ask the communicator first, and know no MPI_IN_PLACE where it is not allowed. */
    if (is_fortran()) mistake %= no_type_received + 1;
    MPI_Datatype uncommitted = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(1, MPI_INT, &uncommitted);
    /* Fortran bindings of the others give the array of types back too early. */
    const int waits = is_fortran() || where->blocking_only || one_in(shared, 2);
#ifdef MPICH_VERSION
    /* Its calls that do not wait, or of one rank, do not look for that, and end with an internal error. */
    if ((!waits || where->size == 1) && mistake == one_buffer) mistake = no_buffer_sent;
#endif
    Call call = good_call(where, form, waits ? blocking : nonblocking, count, send, receive);
    make_mistake(&call, mistake, peer, uncommitted);
    if (says_calls)
        fprintf(stderr, "form %d%s on %s, rank %d of %d: %s\n", form, waits ? "" : " without waiting", where->text,
                where->rank, where->size, mistake_names[mistake]);
    MPI_Request request = MPI_REQUEST_NULL;
    const Heard own = heard_in_the_end(make_own_call(&call, &request), &request);
    Heard ours = heard_in_the_end(make_call(&call, &request), &request);
    /* Fortran bindings may ask the MPI something else before, which is then refused as well. */
    if (is_fortran() && own.handled > 0 && ours.handled > own.handled) ours.handled = own.handled;
    if (memcmp(&own, &ours, sizeof own) != 0) {
        fail(
            "%s, form %d%s, on %s: class %d and %d calls of the error handler with class %d; the MPI's own: class %d "
            "and"
            " %d calls with class %d",
            mistake_names[mistake], form, waits ? "" : " without waiting", where->text, ours.class, ours.handled,
            ours.handled_class, own.class, own.handled, own.handled_class);
    }
    compared += own.class != MPI_SUCCESS;
    MPI_Type_free(&uncommitted);
}

static void set_handlers(MPI_Comm comm, MPI_Errhandler handler) {
    MPI_Comm_set_errhandler(comm, handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
}

static void among(Communicator* where, Random* shared, Random* own) {
    const size_t room = sizeof(int) * 4000 * most_peers;
    int* const send = calloc(1, room);
    int* const receive = calloc(1, room);
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    MPI_Errhandler before = MPI_ERRHANDLER_NULL;
    if (send == NULL || receive == NULL) fail("no memory");
    if (own_routines.found[0] == NULL) find_own_routines();
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &before);
    MPI_Comm_create_errhandler(on_error, &handler);
    for (int i = 0; i < 3; ++i) {
        set_handlers(where->comm, one_in(shared, 2) ? handler : MPI_ERRORS_RETURN);
        compare_refusal(where, shared, send, receive);
        MPI_Errhandler after = MPI_ERRHANDLER_NULL;
        set_handlers(where->comm, before);
        MPI_Comm_get_errhandler(where->comm, &after);
        if (after != before) fail("the error handler was not put back");
        Exchange exchange;
        begin_exchange(&exchange, where, shared, own, 1);
        end_exchange(&exchange);
    }
    MPI_Errhandler_free(&before);
    MPI_Errhandler_free(&handler);
    free(send);
    free(receive);
}

void refused_calls(Random* shared, Random* own) {
    Communicator where = random_communicator(shared);
    Random same = seeded(draw(shared), 0, 0);
    if (where.comm != MPI_COMM_NULL) among(&where, &same, own);
    done_with(&where, shared);
}
