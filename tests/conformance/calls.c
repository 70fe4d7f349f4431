#include "calls.h"

#define EQUAL(COUNT) \
    s->buffer, (COUNT)s->counts[0], s->types[0], (void*)r->buffer, (COUNT)r->counts[0], r->types[0], call->comm
#define UNEQUAL \
    s->buffer, s->counts, s->places, s->types[0], (void*)r->buffer, r->counts, r->places, r->types[0], call->comm
#define TYPED(PLACES) \
    s->buffer, s->counts, s->PLACES, s->types, (void*)r->buffer, r->counts, r->PLACES, r->types, call->comm

#define CALL(WAY, FORM) ((int)(WAY) * (int)forms + (int)(FORM))

#ifndef __cplusplus
const char language[] = "C";
#endif

int has_way(int way) {
    if (way == persistent) return AAPC_MPI_HAS_PERSISTENT;
    return way != large_count || AAPC_MPI_HAS_LARGE_COUNTS;
}

#if AAPC_MPI_HAS_LARGE_COUNTS
static int large_call(const Call* call) {
    const Arguments* const s = &call->send;
    const Arguments* const r = &call->receive;
    MPI_Count counts[2][most_peers];
    MPI_Aint places[2][most_peers];
    for (int i = 0; i < call->peers; ++i) {
        counts[0][i] = s->counts[i];
        counts[1][i] = r->counts[i];
        places[0][i] = call->far ? s->addresses[i] : s->places[i];
        places[1][i] = call->far ? r->addresses[i] : r->places[i];
    }
    void* const to = (void*)r->buffer;
    if (call->form == equal) return MPI_Alltoall_c(EQUAL(MPI_Count));
    if (call->form == unequal) {
        return MPI_Alltoallv_c(s->buffer, counts[0], places[0], s->types[0], to, counts[1], places[1], r->types[0],
                               call->comm);
    }
    return MPI_Alltoallw_c(s->buffer, counts[0], places[0], s->types, to, counts[1], places[1], r->types, call->comm);
}
#else
static int large_call(const Call* call) {
    (void)call;
    return MPI_ERR_INTERN;
}
#endif

#if AAPC_MPI_HAS_PERSISTENT
static int persistent_call(const Call* call, MPI_Request* request) {
    const Arguments* const s = &call->send;
    const Arguments* const r = &call->receive;
    if (call->form == equal) return MPI_Alltoall_init(EQUAL(int), MPI_INFO_NULL, request);
    if (call->form == unequal) return MPI_Alltoallv_init(UNEQUAL, MPI_INFO_NULL, request);
    return MPI_Alltoallw_init(TYPED(places), MPI_INFO_NULL, request);
}
#else
static int persistent_call(const Call* call, MPI_Request* request) {
    (void)call;
    (void)request;
    return MPI_ERR_INTERN;
}
#endif

int make_call(const Call* call, MPI_Request* request) {
    const Arguments* const s = &call->send;
    const Arguments* const r = &call->receive;
    switch (CALL(call->way, call->form)) {
        case CALL(blocking, equal):
            return MPI_Alltoall(EQUAL(int));
        case CALL(blocking, unequal):
            return MPI_Alltoallv(UNEQUAL);
        case CALL(blocking, typed):
            return MPI_Alltoallw(TYPED(places));
        case CALL(nonblocking, equal):
            return MPI_Ialltoall(EQUAL(int), request);
        case CALL(nonblocking, unequal):
            return MPI_Ialltoallv(UNEQUAL, request);
        case CALL(nonblocking, typed):
            return MPI_Ialltoallw(TYPED(places), request);
        case CALL(neighbour, equal):
            return MPI_Neighbor_alltoall(EQUAL(int));
        case CALL(neighbour, unequal):
            return MPI_Neighbor_alltoallv(UNEQUAL);
        case CALL(neighbour, typed):
            return MPI_Neighbor_alltoallw(TYPED(addresses));
        case CALL(nonblocking_neighbour, equal):
            return MPI_Ineighbor_alltoall(EQUAL(int), request);
        case CALL(nonblocking_neighbour, unequal):
            return MPI_Ineighbor_alltoallv(UNEQUAL, request);
        case CALL(nonblocking_neighbour, typed):
            return MPI_Ineighbor_alltoallw(TYPED(addresses), request);
        default:
            return call->way == persistent ? persistent_call(call, request) : large_call(call);
    }
}
