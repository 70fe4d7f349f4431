#include "mpi/own_communicator.hpp"

namespace aapc::mpi {

int create_own(MPI_Comm comm, MPI_Comm& own) {
    MPI_Group group = MPI_GROUP_NULL;
    int error = PMPI_Comm_group(comm, &group);
    if (error != MPI_SUCCESS) {
        return error;
    }
    error = PMPI_Comm_create(comm, group, &own);
    PMPI_Group_free(&group);
    return error == MPI_SUCCESS ? PMPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN) : error;
}

void free_own(MPI_Comm own) {
    int finalized = 0;
    PMPI_Finalized(&finalized);
    if (own != MPI_COMM_NULL && finalized == 0) {
        PMPI_Comm_free(&own);
    }
}

}  // namespace aapc::mpi
