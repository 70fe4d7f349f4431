/// @file
/// Calls that take so long that somebody may be missing.
#pragma once

#include <mpi.h>

#include <cstdint>

namespace aapc::interposer {

/// While one lives, this thread carries out that call. Costs two writes.
class CarriedOut {
  public:
    /// `block_bytes`: of each block; -1: they have different lengths.
    CarriedOut(const char* routine, MPI_Comm comm, std::int64_t block_bytes);
    ~CarriedOut();
    CarriedOut(const CarriedOut&) = delete;
    CarriedOut& operator=(const CarriedOut&) = delete;
};

/// From now on a call in which nothing has come for a minute is said, once in a process: by rank 0 of its communicator,
/// or with AAPC_VERBOSE, `says_more`, by every rank that waits. The call goes on waiting.
void report_long_calls(bool says_more);

}  // namespace aapc::interposer
