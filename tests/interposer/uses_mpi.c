/* A library that uses MPI, for programs that do not know of it. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int initialised(void);
int exchange(void);

int initialised(void) {
    int flag = 0;
    MPI_Initialized(&flag);
    return flag;
}

/* Everything from MPI_Init to MPI_Finalize with calls of MPI_Alltoall in between, on three ranks or more; rank 0 says
 * how many all ranks have made. 0 where all blocks arrived. */
int exchange(void) {
    enum { calls = 3, block = 4096 };
    MPI_Init(NULL, NULL);
    int rank = 0;
    int ranks = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int* send = malloc(sizeof(int) * block * (size_t)ranks);
    int* receive = malloc(sizeof(int) * block * (size_t)ranks);
    int wrong = send == NULL || receive == NULL;
    for (int call = 0; call < calls && !wrong; ++call) {
        for (int i = 0; i < block * ranks; ++i) send[i] = (rank * ranks + i / block) * calls + call;
        MPI_Alltoall(send, block, MPI_INT, receive, block, MPI_INT, MPI_COMM_WORLD);
        for (int i = 0; i < block * ranks; ++i) wrong |= receive[i] != (i / block * ranks + rank) * calls + call;
    }
    free(send);
    free(receive);
    if (rank == 0) printf("%d calls exchanged, 0 passed through\n", calls * ranks);
    fflush(stdout);
    MPI_Finalize();
    return wrong;
}
