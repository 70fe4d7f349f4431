/// @file
/// Errors of MPI: trying what may fail without ending the program, and raising what did.
#pragma once

#include <mpi.h>

namespace aapc::mpi {

/// While it lives, errors on a communicator are returned. What we try and can do without, such as one communicator
/// more, must not end the program.
class ReturnedErrors {
  public:
    explicit ReturnedErrors(MPI_Comm comm) : comm_(comm) {
        PMPI_Comm_get_errhandler(comm_, &handler_);
        PMPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
    }
    ReturnedErrors(const ReturnedErrors&) = delete;
    ReturnedErrors& operator=(const ReturnedErrors&) = delete;
    ~ReturnedErrors() {
        PMPI_Comm_set_errhandler(comm_, handler_);
        PMPI_Errhandler_free(&handler_);
    }

  private:
    MPI_Comm comm_;
    MPI_Errhandler handler_ = MPI_ERRHANDLER_NULL;
};

/// A failure of ours goes where MPI's own would go.
inline int raise(MPI_Comm comm, int error) {
    PMPI_Comm_call_errhandler(comm, error);
    return error;
}

}  // namespace aapc::mpi
