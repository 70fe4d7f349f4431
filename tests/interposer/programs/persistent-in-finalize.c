/* A persistent all-to-all that is started in the delete callback of an attribute of MPI_COMM_SELF, i.e. at the start of
   MPI_Finalize, where MPI still works (MPI 3.1, 8.7.1). AAPC_ASYNC_PROGRESS=1, an MPI with MPI_Alltoall_init, three
   ranks or more on as many machines. */
#include <mpi.h>
#include <stdio.h>

#if !AAPC_MPI_HAS_PERSISTENT /* Open MPI 4 calls it so */
#include <mpi-ext.h>
#define MPI_Alltoall_init MPIX_Alltoall_init
#endif

enum { ranks_at_most = 8 };
static MPI_Request request;
static int rank;
static int size;
static int sent[ranks_at_most];
static int received[ranks_at_most];

static int last(MPI_Comm comm, int key, void* value, void* extra) {
    (void)comm, (void)key, (void)value, (void)extra;
    for (int round = 0; round < 2; ++round) {
        for (int to = 0; to < size; ++to) sent[to] = 100 * round + 10 * rank + to;
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        for (int from = 0; from < size; ++from) {
            if (received[from] != 100 * round + 10 * from + rank) {
                fprintf(stderr, "wrong data from rank %d\n", from);
                MPI_Abort(MPI_COMM_WORLD, 1);
            }
        }
    }
    MPI_Request_free(&request);
    return MPI_SUCCESS;
}

int main(int argc, char** argv) {
    int key;
    MPI_Comm kept;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, last, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
    MPI_Comm_dup(MPI_COMM_WORLD, &kept);
    MPI_Alltoall_init(sent, 1, MPI_INT, received, 1, MPI_INT, kept, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
