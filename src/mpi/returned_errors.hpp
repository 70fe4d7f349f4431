/// @file
/// Errors of MPI: trying what may fail without ending the program, and raising what did.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <string>

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

/// What the MPI says of that error. Throws std::bad_alloc.
[[nodiscard]] inline std::string text_of_error(int error) {
    std::array<char, MPI_MAX_ERROR_STRING> text{};
    int length = 0;
    PMPI_Error_string(error, text.data(), &length);
    return {text.data(), static_cast<std::size_t>(length)};
}

/// Whether what a routine of ours returns is raised by its caller, as Open MPI does for a component. Set before the
/// first call.
inline bool caller_raises = false;

/// A failure of ours in a thread of ours goes where MPI's own would go.
inline int raise_here(MPI_Comm comm, int error) {
    PMPI_Comm_call_errhandler(comm, error);
    return error;
}

/// The same in a call of the program's.
inline int raise(MPI_Comm comm, int error) { return caller_raises ? error : raise_here(comm, error); }

}  // namespace aapc::mpi
