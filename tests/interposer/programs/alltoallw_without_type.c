/* MPI_Alltoallw as parallel I/O libraries write it: MPI_BOTTOM on both sides with types of absolute addresses and one
   array of counts, and, where the MPI allows it, MPI_DATATYPE_NULL for what has no elements. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { most_ranks = 8, calls = 3 };

static int rank, ranks;

static void check(int condition, const char* what) {
    if (!condition) {
        fprintf(stderr, "rank %d: %s\n", rank, what);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

static MPI_Datatype at(int* value) {
    MPI_Aint address;
    MPI_Datatype type;
    int one = 1;
    MPI_Get_address(value, &address);
    MPI_Type_create_hindexed(1, &one, &address, MPI_INT, &type);
    MPI_Type_commit(&type);
    return type;
}

/* Whether this MPI lets messages of no elements have no type. */
static int allows_no_type(void) {
    MPI_Comm alone;
    int value = 0, other = 0, zero = 0;
    MPI_Datatype none = MPI_DATATYPE_NULL;
    MPI_Comm_dup(MPI_COMM_SELF, &alone);
    MPI_Comm_set_errhandler(alone, MPI_ERRORS_RETURN);
    const int error = MPI_Alltoallw(&value, &zero, &zero, &none, &other, &zero, &zero, &none, alone);
    MPI_Comm_free(&alone);
    return error == MPI_SUCCESS;
}

int main(int argc, char** argv) {
    int send[most_ranks], receive[most_ranks], counts[most_ranks], places[most_ranks] = {0};
    MPI_Datatype from[most_ranks], to[most_ranks];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    /* Neighbours in a ring have one integer for each other. */
    const int without = allows_no_type();
    for (int peer = 0; peer < ranks; ++peer) {
        counts[peer] = peer == (rank + 1) % ranks || rank == (peer + 1) % ranks;
        from[peer] = counts[peer] || !without ? at(&send[peer]) : MPI_DATATYPE_NULL;
        to[peer] = counts[peer] || !without ? at(&receive[peer]) : MPI_DATATYPE_NULL;
    }
    for (int call = 0; call < calls; ++call) {
        for (int peer = 0; peer < ranks; ++peer) {
            send[peer] = 1000 * call + 10 * rank + peer;
            receive[peer] = -1;
        }
        MPI_Alltoallw(MPI_BOTTOM, counts, places, from, MPI_BOTTOM, counts, places, to, MPI_COMM_WORLD);
        for (int peer = 0; peer < ranks; ++peer) {
            check(receive[peer] == (counts[peer] ? 1000 * call + 10 * peer + rank : -1), "wrong data");
        }
    }
    if (rank == 0) {
        printf("%d calls exchanged, %d passed through\n", ranks * calls, ranks);
    }
    MPI_Finalize();
    return 0;
}
