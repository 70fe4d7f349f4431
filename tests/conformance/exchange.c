#include "exchange.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { guard_bytes = 256 };

static volatile long case_number = -1;
int says_calls;

void set_case(long number) { case_number = number; }

void fail(const char* format, ...) {
    char text[2048];
    int rank = -1;
    va_list arguments;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(stderr, "conformance: case %ld: rank %d: %s\n", case_number, rank, text);
    fflush(stderr);
    MPI_Abort(MPI_COMM_WORLD, 1);
    abort();
}

/* Units that rank `from` has for rank `to`: the same answer on both. */
typedef struct {
    uint64_t seed;
    int pattern;
    int step; /* what all of them are multiples of */
    int most;
    int symmetric;
    int is_inter;
} Demand;

static int units_between(const Demand* demand, int from, int to, int from_low_group) {
    if (demand->pattern == 0) return demand->most * demand->step;
    int one = from;
    int other = to;
    if (demand->symmetric && one > other) {
        one = to;
        other = from;
    }
    const int side = demand->is_inter && from_low_group;
    const uint64_t drawn = mixed(demand->seed ^ mixed((uint64_t)(one * 64 + other * 2 + side)));
    const int units = (int)(drawn % (uint64_t)(demand->most + 1));
    switch (demand->pattern) {
        case 1:
            return units * demand->step;
        case 2: /* mostly none */
            return drawn >> 60 < 12 ? 0 : units * demand->step;
        case 3: /* one hot receiver */
            return (other == 1 ? demand->most : units > 0 && drawn >> 63) * demand->step;
        case 4: /* only to itself, or nothing */
            return one == other ? units * demand->step : 0;
        default:
            return one % 2 == 0 ? 0 : units * demand->step;
    }
}

/* --- one side --- */

static Type type_for(Random* own, const Signature* signature, int units_of_all, int elements_at_most) {
    const int units = units_of_all == 0 ? 0 : divisor_of(own, units_of_all);
    if (units > 1 && one_in(own, 10)) {
        return random_column(own, signature, units, elements_at_most * (units_of_all / units));
    }
    return random_type(own, signature, units);
}

/* Places messages behind one another in any order, or all in one place. */
static void place_messages(Random* own, Side* side, int together) {
    int order[most_peers];
    shuffled(own, order, side->messages);
    MPI_Aint next = side->one_type ? 2 : 100 + below(own, 9);
    for (int i = 0; i < side->messages; ++i) {
        const int peer = order[i];
        const Type* const type = &side->types[side->one_type ? 0 : peer];
        if (together) next = 3;
        if (side->one_type) {
            side->places[peer] = (int)next;
            side->offsets[peer] = next * type->extent;
            next += side->counts[peer] + below(own, 2);
        } else {
            const int has_data = side->counts[peer] > 0 && type->bytes > 0;
            side->offsets[peer] = has_data ? next - type->first : next;
            side->places[peer] = (int)side->offsets[peer];
            if (has_data) next += type->extent * (side->counts[peer] - 1) + type->end - type->first;
            next += below(own, 30);
        }
    }
}

static void find_memory(Random* own, Side* side) {
    MPI_Aint first = 0;
    MPI_Aint end = 0;
    for (int i = 0; i < side->messages; ++i) {
        const Type* const type = &side->types[side->one_type ? 0 : i];
        if (side->counts[i] == 0 || type->bytes == 0) continue;
        const MPI_Aint low = side->offsets[i] + type->first;
        const MPI_Aint high = side->offsets[i] + type->extent * (side->counts[i] - 1) + type->end;
        if (low < first) first = low;
        if (high > end) end = high;
    }
    side->origin = guard_bytes - first + below(own, 17);
    side->size = (size_t)(side->origin + end + guard_bytes);
    side->memory = malloc(side->size);
    if (side->memory == NULL) fail("no memory for %zu bytes", side->size);
    for (size_t i = 0; i < side->size; i += 8) {
        const uint64_t bytes = draw(own);
        memcpy(side->memory + i, &bytes, side->size - i < 8 ? side->size - i : 8);
    }
}

/* `units` are those of each message, multiples of `step`; `empty_count` is how many elements of no size make none. */
static Side new_side(Random* own, const Signature* signature, int form, int messages, const int* units, int step,
                     int together, int empty_count) {
    Side side;
    memset(&side, 0, sizeof side);
    side.messages = messages;
    side.one_type = form != typed;
    int total = messages + 4;
    for (int i = 0; i < messages; ++i) total += step > 0 ? units[i] / step + 1 : 1;
    for (int i = 0; i < (side.one_type ? 1 : messages); ++i) {
        const int whole = form == equal ? (messages > 0 ? units[0] : step) : form == unequal ? step : units[i];
        side.types[i] = type_for(own, signature, whole, form == typed ? 1 : form == equal ? messages : total);
    }
    for (int i = 0; i < messages; ++i) {
        const Type* const type = &side.types[side.one_type ? 0 : i];
        side.counts[i] = type->units > 0 ? units[i] / type->units : empty_count;
    }
    place_messages(own, &side, together);
    if (form == equal) {
        for (int i = 0; i < messages; ++i) {
            side.counts[i] = side.counts[0];
            side.offsets[i] = side.types[0].extent * side.counts[0] * i;
        }
    }
    find_memory(own, &side);
    for (int i = 0; i < (side.one_type ? 1 : messages); ++i) side.described[i] = side.types[i].type;
    return side;
}

static void describe_by_address(Side* side) {
    side->absolute = 1;
    for (int i = 0; i < (side->one_type ? 1 : side->messages); ++i) {
        side->described[i] = absolute_type(&side->types[i], side->memory + side->origin);
    }
}

static void free_side(Side* side) {
    for (int i = 0; i < (side->one_type ? 1 : side->messages); ++i) {
        if (side->absolute) MPI_Type_free(&side->described[i]);
        free_type(&side->types[i]);
    }
    free(side->memory);
}

static void say_arguments(Random* own, const Side* side, Arguments* arguments) {
    int empty = 1;
    for (int i = 0; i < side->messages; ++i) {
        arguments->counts[i] = side->counts[i];
        arguments->places[i] = side->places[i];
        arguments->addresses[i] = side->offsets[i];
        arguments->types[i] = side->described[side->one_type ? 0 : i];
        empty = empty && side->counts[i] == 0;
    }
    if (side->messages == 0) arguments->types[0] = side->one_type ? side->described[0] : MPI_BYTE;
    arguments->buffer = side->absolute || (empty && one_in(own, 2)) ? MPI_BOTTOM : side->memory + side->origin;
}

/* --- the oracle --- */

static int message_bytes(const Type* type, int count) { return (int)type->bytes * count; }

static unsigned char* message_memory(const Type* type, int count) {
    unsigned char* const memory = malloc((size_t)message_bytes(type, count) + 1);
    if (memory == NULL) fail("no memory for a message");
    return memory;
}

/* As plain bytes, which a rank takes from its types and puts back itself: the MPI may misread derived types, and it
 * does so in messages as it does in its collectives. */
static void exchange_by_messages(const Exchange* exchange) {
    const MPI_Comm comm = exchange->where->comm;
    const Side* const from = exchange->in_place ? &exchange->receive : &exchange->send;
    const Side* const to = &exchange->receive;
    MPI_Request requests[2 * most_peers];
    unsigned char* bytes[2 * most_peers];
    int count = 0;
    const int tag = 1000;
    for (int i = 0; i < to->messages; ++i) {
        const Type* const type = &to->types[to->one_type ? 0 : i];
        bytes[count] = message_memory(type, to->counts[i]);
        MPI_Irecv(bytes[count], message_bytes(type, to->counts[i]), MPI_BYTE, exchange->source[i], tag, comm,
                  &requests[count]);
        ++count;
    }
    for (int i = 0; i < from->messages; ++i) {
        const Type* const type = &from->types[from->one_type ? 0 : i];
        bytes[count] = message_memory(type, from->counts[i]);
        gather_elements(type, from->counts[i], from->memory + from->origin + from->offsets[i], bytes[count]);
        MPI_Isend(bytes[count], message_bytes(type, from->counts[i]), MPI_BYTE, exchange->destination[i], tag, comm,
                  &requests[count]);
        ++count;
    }
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < to->messages; ++i) {
        if (exchange->source[i] == MPI_PROC_NULL) continue;
        scatter_elements(&to->types[to->one_type ? 0 : i], to->counts[i], bytes[i],
                         exchange->expected + to->origin + to->offsets[i]);
    }
    for (int i = 0; i < count; ++i) free(bytes[i]);
}

/* --- a call --- */

static int random_way(const Communicator* where, Random* shared) {
    const int way = below(shared, 10);
    if (where->blocking_only) return blocking;
    if (where->neighbours && one_in(shared, 2)) return way < 5 ? neighbour : nonblocking_neighbour;
    if (way < 2) return nonblocking;
    if (way == 2 && has_way(persistent) && !where->is_inter) return persistent;
    if (way == 3 && has_way(large_count)) return large_count;
    return blocking;
}

static Demand random_demand(const Communicator* where, Random* shared, int form, int in_place, int bytes_of_unit) {
    static const int steps[] = {1, 2, 4, 6, 12, 24, 30};
    static const int limits[] = {64, 64, 512, 512, 4096, 4096, 16384, 65536};
    Demand demand = {draw(shared), form == equal ? 0 : below(shared, 6), 0, 0, in_place, where->is_inter};
    demand.step = steps[below(shared, (int)(sizeof steps / sizeof *steps))];
    const int limit = limits[below(shared, (int)(sizeof limits / sizeof *limits))] / (demand.step * bytes_of_unit);
    demand.most = one_in(shared, 12) ? 0 : 1 + below(shared, limit);
    return demand;
}

static void read_units(const Exchange* exchange, const Demand* demand, int* sent, int* received) {
    const Communicator* const where = exchange->where;
    for (int i = 0; i < exchange->receive.messages; ++i) {
        received[i] = units_between(demand, exchange->source[i], where->rank, where->is_inter == 2);
    }
    for (int i = 0; i < exchange->send.messages; ++i) {
        sent[i] = units_between(demand, where->rank, exchange->destination[i], where->is_inter == 1);
    }
}

static void make_sides(Exchange* exchange, const Demand* demand, Random* own) {
    const Communicator* const where = exchange->where;
    Call* const call = &exchange->call;
    const int near = call->way == neighbour || call->way == nonblocking_neighbour;
    exchange->source = near ? where->neighbour_source : where->source;
    exchange->destination = near ? where->neighbour_destination : where->destination;
    exchange->receive.messages = near ? where->neighbour_sources : where->sources;
    exchange->send.messages = near ? where->neighbour_destinations : where->destinations;
    call->peers =
        exchange->receive.messages > exchange->send.messages ? exchange->receive.messages : exchange->send.messages;
    int sent[most_peers] = {0};
    int received[most_peers] = {0};
    read_units(exchange, demand, sent, received);
    /* Who needs no large counts may use small ones. */
    if (call->way == large_count && one_in(own, 4)) call->way = blocking;
    /* Both MPIs skip messages whose count is 0 on one side and wait for them on the other, where it is not. */
    const int empty_count = (int)(demand->seed % 3);
    exchange->receive = new_side(own, exchange->signature, call->form, exchange->receive.messages, received,
                                 demand->step, 0, empty_count);
    exchange->send = new_side(own, exchange->signature, call->form, exchange->send.messages, sent, demand->step,
                              call->form != equal && one_in(own, 8), empty_count);
}

static void prepare(Exchange* exchange, Random* own) {
    Call* const call = &exchange->call;
    exchange->expected = malloc(exchange->receive.size);
    exchange->sent = malloc(exchange->send.size);
    if (exchange->expected == NULL || exchange->sent == NULL) fail("no memory for what is expected");
    memcpy(exchange->expected, exchange->receive.memory, exchange->receive.size);
    memcpy(exchange->sent, exchange->send.memory, exchange->send.size);
    exchange_by_messages(exchange);
    if (one_in(own, 5)) describe_by_address(&exchange->receive);
    if (one_in(own, 5)) describe_by_address(&exchange->send);
    say_arguments(own, &exchange->receive, &call->receive);
    say_arguments(own, &exchange->send, &call->send);
    if (exchange->in_place) {
        const MPI_Datatype ignored = one_in(own, 2) ? MPI_DATATYPE_NULL : MPI_CHAR;
        call->send.buffer = MPI_IN_PLACE;
        for (int i = 0; i < call->peers; ++i) call->send.types[i] = ignored;
    }
}

static void describe(const Exchange* exchange, char* text, size_t room) {
    static const char* const form_names[] = {"alltoall", "alltoallv", "alltoallw"};
    static const char* const way_names[] = {"", "i", "neighbor ", "ineighbor ", "persistent ", "large-count "};
    const Communicator* const where = exchange->where;
    snprintf(text, room, "%s%s in %s on %s (rank %d of %d)%s, up to %d x (%s); sends %d x %s%s; receives %d x %s%s",
             way_names[exchange->call.way], form_names[exchange->call.form], language, where->text, where->rank,
             where->size, exchange->in_place ? " in place" : "", exchange->longest, exchange->signature->name,
             exchange->send.counts[0], exchange->send.types[0].text, exchange->send.absolute ? " from MPI_BOTTOM" : "",
             exchange->receive.counts[0], exchange->receive.types[0].text,
             exchange->receive.absolute ? " at MPI_BOTTOM" : "");
}

static void compare(const Exchange* exchange, const Side* side, const unsigned char* should, const char* what) {
    const unsigned char* const is = side->memory;
    if (memcmp(is, should, side->size) == 0) return;
    char text[1200];
    size_t at = 0;
    size_t wrong = 0;
    for (size_t i = side->size; i-- > 0;) {
        if (is[i] != should[i]) {
            at = i;
            ++wrong;
        }
    }
    describe(exchange, text, sizeof text);
    fail("%zu of %zu bytes of the %s buffer are wrong, the first one at %ld is %d, not %d: %s", wrong, side->size, what,
         (long)at - (long)side->origin, is[at], should[at], text);
}

/* Nothing but what the last rank sends now may come. */
static void complete_wildcard(Exchange* exchange) {
    const Communicator* const where = exchange->where;
    const int next = (where->rank + 1) % where->size;
    const int last = (where->rank + where->size - 1) % where->size;
    const int tag = 5;
    MPI_Status status;
    int there = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, where->comm, &there, &status);
    if (there) fail("a message of tag %d on %s that nobody sent", status.MPI_TAG, where->text);
    const int value = 100 + where->rank;
    MPI_Send(&value, 1, MPI_INT, next, tag, where->comm);
    MPI_Wait(&exchange->catching, &status);
    if (exchange->caught != 100 + last || status.MPI_SOURCE != last || status.MPI_TAG != tag) {
        fail("a wildcard receive on %s got %d from %d with tag %d", where->text, exchange->caught, status.MPI_SOURCE,
             status.MPI_TAG);
    }
    MPI_Barrier(where->comm);
}

#ifdef MPICH_VERSION
static int leads_ranks_astray(const Exchange* exchange) { return (void)exchange, 0; }
#else
/* Open MPI numbers calls that do not wait; in place, a rank without data does not count its MPI_Ialltoallv, and later
 * calls on this communicator look for one another in vain. */
static int leads_ranks_astray(const Exchange* exchange) {
    return exchange->in_place && exchange->call.form == unequal && exchange->call.way == nonblocking;
}
#endif

void begin_exchange(Exchange* exchange, Communicator* where, Random* shared, Random* own, int alone) {
    memset(exchange, 0, sizeof *exchange);
    exchange->where = where;
    exchange->signature = random_signature(shared);
    exchange->call.comm = where->comm;
    exchange->call.form = one_in(shared, 2) ? equal : below(shared, forms);
    exchange->call.way = random_way(where, shared);
    /* Both MPIs' Fortran bindings give the array of types back before these calls read it, or know a wrong number. */
    const int misread = exchange->call.way != blocking || where->is_inter;
    if (is_fortran() && exchange->call.form == typed && misread) exchange->call.form = unequal;
    const int near = exchange->call.way == neighbour || exchange->call.way == nonblocking_neighbour;
    const int may_be = !where->is_inter && !near;
    exchange->in_place = one_in(shared, 5) && may_be;
    /* Both MPIs' own MPI_Ialltoallw in place fails or waits for good where types differ or have no size. */
    if (exchange->call.form == typed && exchange->call.way != blocking) exchange->in_place = 0;
#ifndef MPICH_VERSION
    /* Open MPI's own MPI_Alltoallw with one rank goes by the size of one element. */
    if (where->size == 1 && !where->is_inter && exchange->call.form == typed) exchange->call.form = equal;
#endif
    if (leads_ranks_astray(exchange)) {
        exchange->in_place = where->expendable;
        where->blocking_only = where->expendable;
    }
    const Demand demand =
        random_demand(where, shared, exchange->call.form, exchange->in_place, signature_bytes(exchange->signature));
    exchange->longest = demand.most * demand.step;
    make_sides(exchange, &demand, own);
    if (says_calls) {
        char text[1200];
        describe(exchange, text, sizeof text);
        fprintf(stderr, "case %ld: %s\n", case_number, text);
    }
    prepare(exchange, own);
    exchange->request = MPI_REQUEST_NULL;
    exchange->wildcard = one_in(shared, 3) && alone && !where->is_inter;
#ifdef MPICH_VERSION
    /* Its own MPI_Alltoall waits for good where a rank's message to itself meets a receive of any tag. */
    if (where->size < 3) exchange->wildcard = 0;
#endif
    if (exchange->wildcard) {
        MPI_Irecv(&exchange->caught, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, where->comm, &exchange->catching);
    }
    const int error = make_call(&exchange->call, &exchange->request);
    if (error != MPI_SUCCESS) fail("%s: error %d", where->text, error);
    if (exchange->call.way == persistent) MPI_Start(&exchange->request);
}

void end_exchange(Exchange* exchange) {
    MPI_Wait(&exchange->request, MPI_STATUS_IGNORE);
    if (exchange->call.way == persistent) MPI_Request_free(&exchange->request);
    if (exchange->wildcard) complete_wildcard(exchange);
    compare(exchange, &exchange->receive, exchange->expected, "receive");
    compare(exchange, &exchange->send, exchange->sent, "send");
    free_side(&exchange->send);
    free_side(&exchange->receive);
    free(exchange->expected);
    free(exchange->sent);
}
