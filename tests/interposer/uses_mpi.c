#include <mpi.h>

int initialised(void);

int initialised(void) {
    int flag = 0;
    MPI_Initialized(&flag);
    return flag;
}
