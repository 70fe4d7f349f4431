/* nothing-resized, alone on two ranks, without aapc: MPICH 4.2.1 (Debian 13, ch4:ucx) divides by zero in MPI_Irecv
   where a type without data was resized. Its collectives do the same with such types. Prints that all is well, or ends
   by SIGFPE. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
    enum { elements = 2 };
    int rank;
    int ranks;
    int sent = 0;
    int received = 0;
    MPI_Request request;
    MPI_Datatype nothing;
    MPI_Datatype resized;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Type_contiguous(0, MPI_INT, &nothing);
    MPI_Type_create_resized(nothing, 0, sizeof(int), &resized);
    MPI_Type_commit(&resized);
    MPI_Irecv(&received, elements, resized, (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD, &request);
    MPI_Send(&sent, elements, resized, (rank + 1) % ranks, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == 0) puts("messages of nothing arrive");
    MPI_Finalize();
    return 0;
}
