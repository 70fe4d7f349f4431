#include "communicators.h"

#include <stdio.h>
#include <string.h>

enum { most_kept = 6 };

/* Of MPI_COMM_WORLD, and every rank has the same number of them. */
static Communicator kept[most_kept];
static int kept_communicators;

static void among_all(Communicator* made, int ranks) {
    made->sources = ranks;
    made->destinations = ranks;
    for (int i = 0; i < ranks; ++i) {
        made->source[i] = i;
        made->destination[i] = i;
    }
}

/* The two neighbours along each dimension, where there are such. They differ, or messages could be taken for one
 * another. */
static void along_dimensions(Communicator* made) {
    int dimensions = 0;
    MPI_Cartdim_get(made->comm, &dimensions);
    made->neighbours = 1;
    for (int i = 0; i < dimensions; ++i) {
        int before = 0;
        int behind = 0;
        MPI_Cart_shift(made->comm, i, 1, &before, &behind);
        made->neighbour_source[2 * i] = before;
        made->neighbour_source[2 * i + 1] = behind;
    }
    made->neighbour_sources = 2 * dimensions;
    made->neighbour_destinations = 2 * dimensions;
    memcpy(made->neighbour_destination, made->neighbour_source, sizeof made->neighbour_source);
}

static void along_edges(Communicator* made) {
    int weighted = 0;
    made->neighbours = 1;
    MPI_Dist_graph_neighbors_count(made->comm, &made->neighbour_sources, &made->neighbour_destinations, &weighted);
    MPI_Dist_graph_neighbors(made->comm, made->neighbour_sources, made->neighbour_source, MPI_UNWEIGHTED,
                             made->neighbour_destinations, made->neighbour_destination, MPI_UNWEIGHTED);
}

Communicator communicator_of(MPI_Comm comm, const char* text) {
    Communicator made;
    memset(&made, 0, sizeof made);
    made.comm = comm;
    snprintf(made.text, sizeof made.text, "%s", text);
    MPI_Comm_rank(comm, &made.rank);
    MPI_Comm_size(comm, &made.size);
    MPI_Comm_test_inter(comm, &made.is_inter);
    int remote = made.size;
    if (made.is_inter) MPI_Comm_remote_size(comm, &remote);
    among_all(&made, remote);
    int topology = MPI_UNDEFINED;
    if (!made.is_inter) MPI_Topo_test(comm, &topology);
    if (topology == MPI_CART) along_dimensions(&made);
    if (topology == MPI_DIST_GRAPH) along_edges(&made);
    return made;
}

static MPI_Comm by_colour(Random* shared, int rank) {
    MPI_Comm comm = MPI_COMM_NULL;
    const int colours = 1 + below(shared, 3);
    const uint64_t order = draw(shared);
    const int left_out = one_in(shared, 3) ? below(shared, 4) : -1;
    const int key = (int)(mixed(order ^ (uint64_t)rank) % 100);
    MPI_Comm_split(MPI_COMM_WORLD, rank == left_out ? MPI_UNDEFINED : rank % colours, key, &comm);
    return comm;
}

/* Some of the ranks in any order. */
static MPI_Comm by_group(Random* shared, int rank, int ranks) {
    int order[most_peers];
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Group all = MPI_GROUP_NULL;
    MPI_Group some = MPI_GROUP_NULL;
    shuffled(shared, order, ranks);
    const int members = ranks - below(shared, ranks > 3 ? 3 : 1);
    const int only_members = one_in(shared, 2);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, members, order, &some);
    int place = MPI_UNDEFINED;
    MPI_Group_rank(some, &place);
    (void)rank;
    if (!only_members) MPI_Comm_create(MPI_COMM_WORLD, some, &comm);
    if (only_members && place != MPI_UNDEFINED) MPI_Comm_create_group(MPI_COMM_WORLD, some, 3, &comm);
    MPI_Group_free(&some);
    MPI_Group_free(&all);
    return comm;
}

static MPI_Comm cartesian(Random* shared, int ranks) {
    MPI_Comm comm = MPI_COMM_NULL;
    int sizes[2] = {0, 0};
    const int dimensions = 1 + below(shared, 2);
    MPI_Dims_create(ranks, dimensions, sizes);
    const int around[2] = {sizes[0] > 2 && one_in(shared, 2), sizes[1] > 2 && one_in(shared, 2)};
    MPI_Cart_create(MPI_COMM_WORLD, dimensions, sizes, around, one_in(shared, 2), &comm);
    return comm;
}

/* Each rank sends to those that are some distances away. */
static MPI_Comm graph(Random* shared, int rank, int ranks) {
    int order[most_peers];
    int source[most_peers];
    int destination[most_peers];
    MPI_Comm comm = MPI_COMM_NULL;
    shuffled(shared, order, ranks);
    const int degree = below(shared, ranks + 1);
    for (int i = 0; i < degree; ++i) {
        source[i] = (rank + ranks - order[i]) % ranks;
        destination[i] = (rank + order[i]) % ranks;
    }
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, degree, source, MPI_UNWEIGHTED, degree, destination, MPI_UNWEIGHTED,
                                   MPI_INFO_NULL, 0, &comm);
    return comm;
}

/* Between the first ranks and the others; merged or not. */
static MPI_Comm between_groups(Random* shared, int rank, int ranks, int merged) {
    MPI_Comm half = MPI_COMM_NULL;
    MPI_Comm comm = MPI_COMM_NULL;
    const int low_ranks = 1 + below(shared, ranks - 1);
    const int low = rank < low_ranks;
    MPI_Comm_split(MPI_COMM_WORLD, low, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, low ? low_ranks : 0, 7, &comm);
    MPI_Comm_free(&half);
    if (merged) {
        MPI_Comm whole = MPI_COMM_NULL;
        MPI_Intercomm_merge(comm, low, &whole);
        MPI_Comm_free(&comm);
        comm = whole;
    }
    return comm;
}

static MPI_Comm duplicate(Random* shared) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm second = MPI_COMM_NULL;
    MPI_Request request = MPI_REQUEST_NULL;
    switch (below(shared, 3)) {
        case 0:
            MPI_Comm_dup(MPI_COMM_WORLD, &comm);
            return comm;
        case 1:
            MPI_Comm_idup(MPI_COMM_WORLD, &comm, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            return comm;
        default: /* of one that is gone */
            MPI_Comm_dup(MPI_COMM_WORLD, &comm);
            MPI_Comm_dup(comm, &second);
            MPI_Comm_free(&comm);
            return second;
    }
}

static int is_predefined(const Communicator* communicator) { return strncmp(communicator->text, "MPI_COMM", 8) == 0; }

static Communicator described(MPI_Comm comm, const char* text, int inter_side) {
    if (comm == MPI_COMM_NULL) {
        Communicator none;
        memset(&none, 0, sizeof none);
        none.comm = MPI_COMM_NULL;
        snprintf(none.text, sizeof none.text, "%s", text);
        return none;
    }
    Communicator made = communicator_of(comm, text);
    if (made.is_inter) made.is_inter = inter_side;
    made.expendable = !is_predefined(&made);
    return made;
}

Communicator random_communicator(Random* shared) {
    int rank = 0;
    int ranks = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int kind = below(shared, 16);
    const int which = below(shared, kept_communicators);
    if (kind < 3 && kept_communicators > 0) {
        const Communicator again = kept[which];
        kept[which] = kept[--kept_communicators];
        return again;
    }
    switch (kind) {
        case 3:
        case 4:
            return described(duplicate(shared), "a duplicate", 0);
        case 5:
        case 6:
        case 7:
            return described(by_colour(shared, rank), "a split", 0);
        case 8:
            return described(by_group(shared, rank, ranks), "a group's", 0);
        case 9:
        case 10:
            return described(cartesian(shared, ranks), "a Cartesian one", 0);
        case 11:
            return described(graph(shared, rank, ranks), "a graph", 0);
        case 12: {
            Random same = *shared;
            const int low_ranks = 1 + below(&same, ranks - 1);
            return described(between_groups(shared, rank, ranks, 0), "an intercommunicator", rank < low_ranks ? 1 : 2);
        }
        case 13:
            return described(between_groups(shared, rank, ranks, 1), "a merged one", 0);
        case 14:
            return described(MPI_COMM_SELF, "MPI_COMM_SELF", 0);
        default:
            return described(MPI_COMM_WORLD, "MPI_COMM_WORLD", 0);
    }
}

static void free_one(Communicator* communicator, Random* shared) {
    const int disconnects = one_in(shared, 4);
    if (communicator->comm == MPI_COMM_NULL) return;
    if (disconnects) MPI_Comm_disconnect(&communicator->comm);
    if (!disconnects) MPI_Comm_free(&communicator->comm);
}

void done_with(Communicator* communicator, Random* shared) {
    const int keeps = one_in(shared, 2);
    if (is_predefined(communicator)) return;
    if (keeps && kept_communicators < most_kept) {
        kept[kept_communicators++] = *communicator;
    } else {
        free_one(communicator, shared);
    }
    free_some(shared);
}

void free_some(Random* shared) {
    while (kept_communicators > 0 && one_in(shared, 3)) {
        const int which = below(shared, kept_communicators);
        Communicator gone = kept[which];
        kept[which] = kept[--kept_communicators];
        free_one(&gone, shared);
    }
}
