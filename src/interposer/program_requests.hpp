/// @file
/// The requests by which the program knows what our threads carry out. Each entry makes its own kind.
#pragma once

#include <mpi.h>

namespace aapc::interposer {

class Background;

/// Makes the request of an operation that begins now on `comm`; local. `error` is a new int, which takes the error code
/// and belongs to the request from then on. Returns an MPI error code, for which an error handler has been called.
[[nodiscard]] int make_request(MPI_Comm comm, int* error, MPI_Request* request);
/// The operation is over, and `*error`, which make_request() was given, is what came of it. Any thread.
void complete_request(MPI_Request request, int* error);

/// Makes a request that MPI_Start starts; local. From then on Background::started() and Background::freed() learn of
/// it. `tag` is no other request's. Returns an MPI error code, for which no error handler has been called.
[[nodiscard]] int make_persistent_request(const Background& background, int tag, MPI_Comm comm, MPI_Request* request);
/// The operation that was started is over. Any thread.
void complete_persistent_request(const Background& background, int tag, MPI_Request request);

}  // namespace aapc::interposer
