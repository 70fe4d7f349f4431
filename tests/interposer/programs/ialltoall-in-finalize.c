/* A non-blocking all-to-all in the delete callback of an attribute of MPI_COMM_SELF, i.e. at the start of MPI_Finalize,
   where MPI still works (MPI 3.1, 8.7.1). AAPC_ASYNC_PROGRESS=1, three ranks or more on as many machines. */
#include <mpi.h>
#include <stdio.h>
static MPI_Comm kept;
static int last(MPI_Comm comm, int key, void* value, void* extra) {
    int a[8] = {0}, b[8];
    MPI_Request request;
    MPI_Ialltoall(a, 1, MPI_INT, b, 1, MPI_INT, kept, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    printf("done in MPI_Finalize\n");
    return MPI_SUCCESS;
}
int main(int argc, char** argv) {
    int key;
    MPI_Init(&argc, &argv);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, last, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
    MPI_Comm_dup(MPI_COMM_WORLD, &kept);
    MPI_Finalize();
    return 0;
}
