// The preloaded interposer knows nothing of an MPI but its routines: an operation's request is a generalised one, or,
// since that cannot be started, a receive from this process itself, which is complete when our thread sends what it
// waits for. It is one among all ranks: MPICH 4.0.2 loses messages that one thread sends to another on a communicator
// of one rank. MPI_Start and MPI_Request_free come by entry_immediate.cpp.
#include "interposer/program_requests.hpp"

#include "interposer/background.hpp"

namespace aapc::interposer {

namespace {

/// What MPI asks of a generalised request. Its extra state is the error code of the operation.
int tell_status(void* error, MPI_Status* status) {
    status->MPI_SOURCE = MPI_ANY_SOURCE;
    status->MPI_TAG = MPI_ANY_TAG;
    PMPI_Status_set_cancelled(status, 0);
    PMPI_Status_set_elements(status, MPI_BYTE, 0);
    return *static_cast<int*>(error);
}

int drop_error(void* error) {
    delete static_cast<int*>(error);
    return MPI_SUCCESS;
}

/// The standard knows no cancelling of collectives.
int do_not_cancel(void* /*error*/, int /*complete*/) { return MPI_SUCCESS; }

}  // namespace

int make_request(MPI_Comm /*comm*/, int* error, MPI_Request* request) {
    return PMPI_Grequest_start(tell_status, drop_error, do_not_cancel, error, request);
}

void complete_request(MPI_Request request, int* /*error*/) { PMPI_Grequest_complete(request); }

int make_persistent_request(const Background& background, int tag, MPI_Comm /*comm*/, MPI_Request* request) {
    return PMPI_Recv_init(nullptr, 0, MPI_BYTE, background.rank(), tag, background.ours(), request);
}

void complete_persistent_request(const Background& background, int tag, MPI_Request /*request*/) {
    PMPI_Send(nullptr, 0, MPI_BYTE, background.rank(), tag, background.ours());
}

}  // namespace aapc::interposer
