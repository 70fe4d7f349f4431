/* One rank begins an all-to-all, frees the communicator and only then lets the others begin. MPI_Comm_free is local in
   Open MPI and MPICH ("it is anticipated that this operation will normally be implemented to be local"), and this runs
   under both. AAPC_ASYNC_PROGRESS=1 (and a method for blocks of 4,000 bytes: AAPC_ALGORITHM=tree), four ranks. */
#include <mpi.h>
#include <stdlib.h>
int main(int argc, char** argv) {
    int rank, ranks, token = 0;
    MPI_Comm comm;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    char *a = calloc(ranks, 4000), *b = calloc(ranks, 4000);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    if (rank != 0) MPI_Recv(&token, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Ialltoall(a, 4000, MPI_BYTE, b, 4000, MPI_BYTE, comm, &request);
    MPI_Comm_free(&comm); /* rank 0 stays here */
    if (rank == 0)
        for (int to = 1; to < ranks; ++to) MPI_Send(&token, 1, MPI_INT, to, 5, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
