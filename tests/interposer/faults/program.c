/* Exchanges blocks of many sizes and layouts on several communicators and says what became of its calls: of
 * MPI_Alltoall, or with the argument "unequal" of MPI_Alltoallv, and with the argument "immediate" of those that do not
 * block. Data of a call that returned MPI_SUCCESS must be right. On every rank of the world:
 *
 *     rank 1: 30 calls right, 0 wrong, 2 errors
 *
 * Where a call that does not block could not even be begun, for which the others would wait, it makes the file that
 * AAPC_TEST_NOT_BEGUN names and ends the job instead: launchers do not always pass on what a process said last. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long right;
static long wrong;
static long errors;
static int unequal;
static int immediate;

static int value(int from, int to, int i) { return from * 1000003 + to * 10007 + i * 7 + 1; }

/* Blocks of `integers` integers, in every `spread`-th place. */
static void exchange(MPI_Comm comm, int integers, int spread, int in_place) {
    int rank = 0;
    int ranks = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    const size_t places = (size_t)ranks * (size_t)integers * (size_t)spread;
    int* send = malloc(sizeof(int) * places);
    int* receive = malloc(sizeof(int) * places);
    for (size_t i = 0; i < places; ++i) receive[i] = send[i] = -1;
    for (int to = 0; to < ranks; ++to) {
        for (int i = 0; i < integers; ++i) {
            (in_place ? receive : send)[((size_t)to * (size_t)integers + (size_t)i) * (size_t)spread] =
                value(rank, to, i);
        }
    }
    MPI_Datatype spaced = MPI_DATATYPE_NULL;
    MPI_Type_create_resized(MPI_INT, 0, spread * (MPI_Aint)sizeof(int), &spaced);
    MPI_Type_commit(&spaced);
    const MPI_Datatype type = spread == 1 ? MPI_INT : spaced;
    const void* from_here = in_place ? MPI_IN_PLACE : send;
    int counts[8];
    int first[8];
    for (int other = 0; other < ranks; ++other) {
        counts[other] = integers;
        first[other] = other * integers;
    }
    MPI_Request request = MPI_REQUEST_NULL;
    int error = MPI_SUCCESS;
    if (unequal && immediate) {
        error = MPI_Ialltoallv(from_here, counts, first, type, receive, counts, first, type, comm, &request);
    } else if (unequal) {
        error = MPI_Alltoallv(from_here, counts, first, type, receive, counts, first, type, comm);
    } else if (immediate) {
        error = MPI_Ialltoall(from_here, integers, type, receive, integers, type, comm, &request);
    } else {
        error = MPI_Alltoall(from_here, integers, type, receive, integers, type, comm);
    }
    if (error != MPI_SUCCESS && immediate) {
        const char* const name = getenv("AAPC_TEST_NOT_BEGUN");
        FILE* const file = name == NULL ? NULL : fopen(name, "w");
        if (file != NULL) fclose(file);
        MPI_Abort(comm, 1);
    }
    if (immediate) error = MPI_Wait(&request, MPI_STATUS_IGNORE);
    int good = 1;
    for (int from = 0; from < ranks; ++from) {
        for (int i = 0; i < integers; ++i) {
            good =
                good && receive[((size_t)from * (size_t)integers + (size_t)i) * (size_t)spread] == value(from, rank, i);
        }
    }
    if (error != MPI_SUCCESS) {
        ++errors;
    } else if (good) {
        ++right;
    } else {
        ++wrong;
    }
    MPI_Type_free(&spaced);
    free(send);
    free(receive);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    for (int i = 1; i < argc; ++i) {
        unequal = unequal || strcmp(argv[i], "unequal") == 0;
        immediate = immediate || strcmp(argv[i], "immediate") == 0;
    }
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    const int sizes[] = {10, 10, 3000, 40000, 100};
    for (int i = 0; i < 5; ++i) exchange(MPI_COMM_WORLD, sizes[i], 1, 0);
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    for (int i = 0; i < 4; ++i) {
        exchange(copy, sizes[i], 1 + (rank + i) % 2, 0);
        exchange(copy, sizes[i], 1, i % 2);
    }
    MPI_Comm_free(&copy);
    exchange(MPI_COMM_WORLD, 60000, 3, 0);
    for (int i = 0; i < 3; ++i) exchange(MPI_COMM_WORLD, 1000, 2, 1);
    char line[96];
    const int length =
        snprintf(line, sizeof line, "rank %d: %ld calls right, %ld wrong, %ld errors\n", rank, right, wrong, errors);
    fwrite(line, 1, (size_t)length, stdout);
    fflush(stdout);
    MPI_Finalize();
    return 0;
}
