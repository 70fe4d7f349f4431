/* A library keeps a duplicate of the user's communicator and frees it in the delete callback of an attribute of
   MPI_COMM_SELF, i.e. at the start of MPI_Finalize. No all-to-all at all. AAPC_ASYNC_PROGRESS=1, any number of ranks.
 */
#include <mpi.h>
#include <stdio.h>
static MPI_Comm kept;
static int last(MPI_Comm comm, int key, void* value, void* extra) {
    MPI_Comm_free(&kept);
    printf("freed in MPI_Finalize\n");
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
