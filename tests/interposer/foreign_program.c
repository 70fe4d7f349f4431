/* One all-to-all of one rank, by whichever library has the name that this is linked to. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
    const int sent = 42;
    int received = 0;
    MPI_Init(&argc, &argv);
    MPI_Alltoall(&sent, 1, MPI_INT, &received, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Finalize();
    printf("received %d\n", received);
    return 0;
}
