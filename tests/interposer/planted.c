/* A library with a fault, preloaded as the interposers under sanitizers are: MPI_Barrier reads memory that is freed. */
#include <mpi.h>
#include <stdlib.h>

__attribute__((visibility("default"))) int MPI_Barrier(MPI_Comm comm) {
    volatile char* const memory = malloc(16);
    free((void*)memory);
    return memory[3] == 7 ? PMPI_Barrier(comm) : PMPI_Barrier(comm);
}
